/** `hundredfold pull`: copies a campaign's tree, or a part of it, from its store to a local folder. */
import { Command } from 'commander';
import { checkName } from '../../domain/name.ts';
import { pull as pullTree } from '../../runner/index.ts';
import { requireTree } from '../../runner/command-line.ts';
import { buildCampaignAddress } from '../../store/layout.ts';
import { EXIT } from '../../domain/errors.ts';
import { formatSize } from '../../domain/units.ts';
import { addRowOptions, selectRows, type RowFlags } from '../rows.ts';
import { loadCommandSettings } from '../session.ts';
import { say, throttleProgress, printDocument } from '../terminal.ts';
import { call, type GlobalFlags } from '../options.ts';

export const commands = [
  addRowOptions(
    new Command('pull')
      .description('copy the output tree of a campaign, or a part of it, from its store to disk')
      .argument('<name>', '', checkName)
      .option('--out <dir>', 'folder on this machine (default: ./results)'),
  ).action(call(pull)),
];

interface PullFlags extends GlobalFlags, RowFlags {
  /** The local folder of the trees. */
  readonly out?: string;
}

async function pull(name: string, flags: PullFlags): Promise<number> {
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
