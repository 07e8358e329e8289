/** `hundredfold pull` and `push`: copy a campaign's tree, or a part of it, between its store and a local folder. */
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import { absoluteAddress, campaignAddress } from '../../store/address.ts';
import { itemFolder } from '../../store/layout.ts';
import { openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/store.ts';
import { differences, transfer, type Transferred } from '../../store/transfer.ts';
import { readTreeId } from '../../store/tree-identity.ts';
import { commandSettings } from '../session/command-settings.ts';
import { say } from '../text/explain.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { whileHoldingAlone } from '../../campaigns/hold-tree.ts';
import { itemLines } from '../../campaigns/item-lines.ts';
import { openTree, type CampaignTree } from '../../campaigns/campaign-tree.ts';
import { parseWhere, type Where } from '../command-line/where.ts';
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

interface Places {
  /** Below `store.url`. */
  readonly stored: string;
  /** Below `--out`. */
  readonly here: string;
}

export async function pull(name: string, flags: TransferFlags): Promise<number> {
  const where = flags.where && parseWhere(flags.where);
  const { stored, here } = placesOf(name, flags);
  const source = await openTree(stored, name, false);
  const to = await openStore(here);
  if ((await readTreeId(to)) !== null) throw isWorkedIn(here);
  const wanted = where && (await keysOf(source, where));
  return whileHoldingAlone({ where: 'hundredfold pull', store: to, onNotice: say }, () =>
    bring({ name, flags, from: source.store, to, wanted }),
  );
}

export async function push(name: string, flags: PushFlags): Promise<number> {
  const where = flags.where && parseWhere(flags.where);
  const { stored, here } = placesOf(name, flags);
  const source = await openTree(here, name, false);
  const to = await openStore(stored);
  const wanted = where && (await keysOf(source, where));
  return whileHoldingAlone({ where: 'hundredfold push', store: to, onNotice: say }, async () => {
    if (!flags.replace) await checkNothingReplaced(source.store, to, wanted);
    return bring({ name, flags, from: source.store, to, wanted });
  });
}

function placesOf(name: string, flags: TransferFlags): Places {
  const { storeUrl } = commandSettings(flags, { tokens: 'optional' });
  const out = flags.out ?? HERE;
  if (absoluteAddress(storeUrl) === absoluteAddress(out)) {
    throw new HundredfoldError({
      code: 'TRANSFER_SAME_PLACE',
      message: `store.url and --out are the same place: ${absoluteAddress(out)}`,
      remedy:
        'Name the store in store.url (s3://bucket/prefix), and a folder of this machine with --out.',
    });
  }
  return { stored: campaignAddress(storeUrl, name), here: campaignAddress(out, name) };
}

/** The files of the selected items, without the tables, which describe all items. */
async function keysOf(tree: CampaignTree, where: Where): Promise<(key: string) => boolean> {
  const folders = new Set<string>();
  for await (const line of itemLines(tree, new Map(), {})) {
    if (line.kind !== null && line.path !== null && where(line)) {
      folders.add(itemFolder(line.kind, line.id));
    }
  }
  return (key) => folders.has(key.split('/', 2).join('/'));
}

interface Work {
  readonly name: string;
  readonly flags: CommonFlags;
  readonly from: Store;
  readonly to: Store;
  readonly wanted: ((key: string) => boolean) | undefined;
}

/** Time between progress lines, in ms. */
const SHOW_EVERY_MS = 5_000;

async function bring({ name, flags, from, to, wanted }: Work): Promise<number> {
  let shownAt = performance.now();
  const onFile = ({ files, bytes }: Transferred): void => {
    if (performance.now() - shownAt < SHOW_EVERY_MS) return;
    shownAt = performance.now();
    say(`${name}: ${files} files, ${sizeOf(bytes)} copied`);
  };
  const done = await transfer({ from, to, onFile, ...(wanted && { wanted }) });
  const { files, copied, kept, bytes, faults } = done;
  if (flags.json) {
    const places = { campaign: name, from: from.location, to: to.location };
    printDocument({ ...places, ...done });
  }
  say(`${name}: ${files} files of ${from.location} in ${to.location}.`);
  say(`  copied: ${copied} (${sizeOf(bytes)}); already there and correct: ${kept}`);
  for (const fault of faults) say(`  damaged: ${fault}`);
  return faults.length === 0 ? EXIT.ok : EXIT.incomplete;
}

function sizeOf(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** The store may have newer files: they are not overwritten unless the user asks for it. */
async function checkNothingReplaced(from: Store, to: Store, wanted: Work['wanted']): Promise<void> {
  const different = await differences({ from, to, ...(wanted && { wanted }) });
  if (different.length === 0) return;
  const shown = different.slice(0, 3).join(', ') + (different.length > 3 ? ', …' : '');
  throw new HundredfoldError({
    code: 'PUSH_WOULD_REPLACE',
    message: `${to.location} has ${different.length} of these files with different content: ${shown}`,
    remedy:
      'Nothing was changed. Use --replace to overwrite them. To look at them first, run hundredfold pull into another folder.',
  });
}

function isWorkedIn(folder: string): HundredfoldError {
  return new HundredfoldError({
    code: 'PULL_INTO_TREE',
    message: `${folder} is the output tree of a campaign, not a copy of one`,
    remedy: 'Choose another folder with --out; nothing was changed.',
  });
}
