/** `hundredfold verify` and `pull`: checks and copies the output tree of a campaign. */
import { Command } from 'commander';
import { checkName } from '../../domain/name.ts';
import { EXIT } from '../../domain/errors.ts';
import { formatSize } from '../../domain/units.ts';
import { CHECKS } from '../../report/verify.ts';
import { pull as pullTree, type Fault } from '../../runner/index.ts';
import { requireTree } from '../../runner/command-line.ts';
import { buildCampaignAddress } from '../../store/layout.ts';
import { addRowOptions, call, NEWEST, selectRows, type Flags } from '../options.ts';
import { findTreeOrFolder, loadCommandSettings } from '../session.ts';
import { formatCount, printDocument, printTable, say, throttleProgress } from '../terminal.ts';

export const commands = [
  new Command('verify')
    .description('check digests, tables, summary and crate of a campaign against its items')
    .argument('[name]', `${NEWEST}, or the folder or s3:// address of its tree`)
    .action(call(verify)),
  addRowOptions(
    new Command('pull')
      .description('copy the output tree of a campaign, or a part of it, from its store to disk')
      .argument('<name>', '', checkName)
      .option('--out <dir>', 'folder on this machine (default: ./results)'),
  ).action(call(pull)),
];

async function verify(nameOrFolder: string | undefined, flags: Flags): Promise<number> {
  const tree = await findTreeOrFolder(nameOrFolder, flags);
  const { name, location: folder } = tree;
  const { items } = tree.campaign;
  const { faults, files } = await tree.verify(
    throttleProgress((done) => `${name}: ${done} of ${items} items read`),
  );
  const ok = faults.length === 0;
  if (flags.json) printDocument({ campaign: name, location: folder, ok, items, files, faults });
  else printTable(['CHECK', 'PATH', 'FOUND', 'WHAT TO DO'], CHECKS.flatMap(listFindings(faults)));
  say(
    ok
      ? `${name}: no problems found: ${items} items with ${files} files, tables, summary, crate and checksums of ${folder}.`
      : `${name}: ${formatCount(faults.length, 'fault')} in ${folder}.`,
  );
  return ok ? EXIT.ok : EXIT.incomplete;
}

/** A row for each fault, and one for a check without faults. */
function listFindings(faults: readonly Fault[]) {
  return (check: string): readonly (readonly (string | null)[])[] => {
    const found = faults.filter((fault) => fault.check === check);
    const rows = found.map(({ path, message, remedy }) => [check, path, message, remedy]);
    return rows.length === 0 ? [[check, null, 'ok', null]] : rows;
  };
}

async function pull(name: string, flags: Flags): Promise<number> {
  const { storeUrl } = loadCommandSettings(flags, { tokens: 'optional' });
  const there = buildCampaignAddress(storeUrl, name);
  // The columns that conditions may name.
  const tree = flags.where && (await requireTree(there, name, false));
  const { from, to, ...done } = await pullTree(name, {
    ...flags,
    selection: selectRows(flags, tree),
    onNotice: say,
    onFile: throttleProgress(
      ({ files, bytes }) => `${name}: ${files} files, ${formatSize(bytes)} copied`,
    ),
  });
  const { files, copied, kept, bytes, faults } = done;
  if (flags.json) printDocument({ campaign: name, from, to, ...done });
  say(`${name}: ${files} files of ${from} in ${to}.`);
  say(`  copied: ${copied} (${formatSize(bytes)}); already there and correct: ${kept}`);
  for (const fault of faults) say(`  damaged: ${fault}`);
  return faults.length === 0 ? EXIT.ok : EXIT.incomplete;
}
