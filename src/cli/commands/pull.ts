/** `hundredfold pull`: copies a campaign's tree, or a part of it, from its store to a local folder. */
import { pull as pullTree } from '../../runner/index.ts';
import { EXIT } from '../../domain/errors.ts';
import { formatSize } from '../../domain/units.ts';
import type { CommonFlags } from '../command-line/options.ts';
import { selectRows, type RowFlags } from '../command-line/rows.ts';
import { loadCommandSettings } from '../session.ts';
import { say, throttleProgress, printDocument } from '../text/output.ts';

interface PullFlags extends CommonFlags, RowFlags {
  /** The local folder of the trees. */
  readonly out?: string;
}

export async function pull(name: string, flags: PullFlags): Promise<number> {
  loadCommandSettings(flags, { tokens: 'optional' });
  const { from, to, ...done } = await pullTree(name, {
    ...flags,
    wanted: selectRows(flags),
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
