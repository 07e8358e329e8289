/** `hundredfold pull` and `push`: copy a campaign's tree, or a part of it, between its store and a local folder. */
import {
  pullTree,
  pushTree,
  type TransferredTree,
  type TreeTransfer,
} from '../../campaigns/transfer-tree.ts';
import { EXIT } from '../../domain/errors.ts';
import { sizeText } from '../../domain/size-text.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { parseWhere } from '../command-line/where.ts';
import { commandSettings } from '../session/command-settings.ts';
import { say } from '../text/explain.ts';
import { nowAndThen } from '../text/now-and-then.ts';
import { printDocument } from '../text/output.ts';

interface TransferFlags extends CommonFlags {
  /** The local folder of the trees. */
  readonly out?: string;
  readonly where?: readonly string[];
}

export interface PushFlags extends TransferFlags {
  readonly replace?: boolean;
}

const HERE = './results';

export async function pull(name: string, flags: TransferFlags): Promise<number> {
  return print(name, flags, await pullTree(wantedBy(name, flags)));
}

export async function push(name: string, flags: PushFlags): Promise<number> {
  const { replace = false } = flags;
  return print(name, flags, await pushTree(wantedBy(name, flags), replace));
}

function wantedBy(name: string, flags: TransferFlags): TreeTransfer {
  const where = flags.where && parseWhere(flags.where);
  const { storeUrl } = commandSettings(flags, { tokens: 'optional' });
  return {
    name,
    storeUrl,
    out: flags.out ?? HERE,
    where,
    onNotice: say,
    onFile: nowAndThen(({ files, bytes }) => `${name}: ${files} files, ${sizeText(bytes)} copied`),
  };
}

function print(name: string, flags: CommonFlags, { from, to, done }: TransferredTree): number {
  const { files, copied, kept, bytes, faults } = done;
  if (flags.json) printDocument({ campaign: name, from, to, ...done });
  say(`${name}: ${files} files of ${from} in ${to}.`);
  say(`  copied: ${copied} (${sizeText(bytes)}); already there and correct: ${kept}`);
  for (const fault of faults) say(`  damaged: ${fault}`);
  return faults.length === 0 ? EXIT.ok : EXIT.incomplete;
}
