/** `hundredfold verify NAME`: the tree of a campaign against its records, and a sample computed again. */
import { EXIT } from '../domain/errors.ts';
import { CHECKS, type Fault } from '../report/verify/fault.ts';
import { verifyFolder, type Verification } from '../report/verify/folder.ts';
import { say } from './explain.ts';
import { findTreeOrFolder } from './find-tree.ts';
import type { CommonFlags } from './flags.ts';
import { printDocument } from './output.ts';
import { printTable } from './table.ts';

/** Between lines that say how far it is, in ms. */
const TELL_EVERY_MS = 5_000;

export async function verify(nameOrFolder: string, flags: CommonFlags): Promise<number> {
  const { folder, campaign } = await findTreeOrFolder(nameOrFolder, flags);
  const { name, items } = campaign;
  let told = performance.now();
  const verification = await verifyFolder(folder, campaign, {
    onItem: (done) => {
      if (performance.now() - told < TELL_EVERY_MS) return;
      told = performance.now();
      say(`${name}: ${done} of ${items} items read`);
    },
  });
  const { faults, notes, files } = verification;
  for (const note of notes) say(`note: ${note}`);
  const ok = faults.length === 0;
  if (flags.json) {
    printDocument({ campaign: name, location: folder, ok, items, files, faults, notes });
  } else printFindings(verification);
  say(
    ok
      ? `${name}: all is well: ${items} items, ${files} files of theirs, tables, summary, crate and checksums of ${folder}.`
      : `${name}: ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'} in ${folder}.`,
  );
  return ok ? EXIT.ok : EXIT.incomplete;
}

/** A line for each fault, and one for each check that found none. */
function printFindings({ faults }: Pick<Verification, 'faults'>): void {
  const rows = CHECKS.flatMap((check): (readonly (string | null)[])[] => {
    const found = faults.filter((fault) => fault.check === check);
    return found.length === 0 ? [[check, null, 'ok', null]] : found.map(rowOf);
  });
  printTable(['CHECK', 'PATH', 'FOUND', 'WHAT TO DO'], rows);
}

function rowOf({ check, path, message, remedy }: Fault): readonly string[] {
  return [check, path, message, remedy];
}
