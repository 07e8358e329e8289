/** `hundredfold verify NAME`: checks the tree of a campaign against its records. */
import { Command } from 'commander';
import { EXIT } from '../../domain/errors.ts';
import { CHECKS } from '../../report/verify.ts';
import type { Fault, Verification } from '../../runner/index.ts';
import { say, throttleProgress, printDocument, printTable } from '../terminal.ts';
import { findTreeOrFolder } from '../session.ts';
import { call, NEWEST, type GlobalFlags } from '../options.ts';

export const commands = [
  new Command('verify')
    .description('check digests, tables, summary and crate of a campaign against its items')
    .argument('[name]', `${NEWEST}, or the folder or s3:// address of its tree`)
    .action(call(verify)),
];

async function verify(nameOrFolder: string | undefined, flags: GlobalFlags): Promise<number> {
  const tree = await findTreeOrFolder(nameOrFolder, flags);
  const { name, location: folder } = tree;
  const { items } = tree.campaign;
  const verification = await tree.verify(
    throttleProgress((done) => `${name}: ${done} of ${items} items read`),
  );
  const { faults, files } = verification;
  const ok = faults.length === 0;
  if (flags.json) {
    printDocument({ campaign: name, location: folder, ok, items, files, faults });
  } else printFindings(verification);
  say(
    ok
      ? `${name}: no problems found: ${items} items with ${files} files, tables, summary, crate and checksums of ${folder}.`
      : `${name}: ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'} in ${folder}.`,
  );
  return ok ? EXIT.ok : EXIT.incomplete;
}

/** A line for each fault, and one for each check without faults. */
function printFindings({ faults }: Verification): void {
  const rows = CHECKS.flatMap((check): (readonly (string | null)[])[] => {
    const found = faults.filter((fault) => fault.check === check);
    return found.length === 0 ? [[check, null, 'ok', null]] : found.map(formatRow);
  });
  printTable(['CHECK', 'PATH', 'FOUND', 'WHAT TO DO'], rows);
}

function formatRow({ check, path, message, remedy }: Fault): readonly string[] {
  return [check, path, message, remedy];
}
