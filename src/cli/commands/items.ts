/** `hundredfold items NAME`: the items of a campaign, one per line; all of them, or a selection. */
import { EXIT } from '../../domain/errors.ts';
import { readRecord } from '../../temporal/host/record.ts';
import { isAlive } from '../../temporal/processes.ts';
import type { CommonFlags } from '../command-line/options.ts';
import { selectRows, type RowFlags } from '../command-line/rows.ts';
import {
  listItemLines,
  type OpenItem,
  openItems,
  requireTree,
  openTreeIfAny,
} from '../../runner/command-line.ts';
import type { ItemLine, OutputTree } from '../../runner/index.ts';
import { buildCampaignAddress } from '../../store/layout.ts';
import { loadCommandSettings, findMeant, withCampaign } from '../session.ts';
import { say, beginDocument } from '../text/output.ts';
import { Table } from '../text/table.ts';

/** Prints items as they come. */
interface ItemsPrinter {
  line(line: ItemLine): Promise<void>;
  end(): Promise<void>;
}

class ItemsDocument implements ItemsPrinter {
  readonly #head: string;
  #written = 0;

  constructor({ name, location }: OutputTree) {
    this.#head = JSON.stringify({ campaign: name, out: location, items: [] }).slice(0, -2);
  }

  async line(line: ItemLine): Promise<void> {
    beginDocument();
    await write(`${this.#written === 0 ? this.#head : ','}\n${JSON.stringify(line)}`);
    this.#written += 1;
  }

  async end(): Promise<void> {
    await write(`${this.#written === 0 ? this.#head : '\n'}]}\n`);
  }
}

const GOES_ON = ['drain', 'error', 'close'];

/** Waits for a slow reader, so that memory stays constant, but not for one that has closed the pipe (`| head`). */
async function write(text: string): Promise<void> {
  const { stdout } = process;
  if (stdout.errored || stdout.write(text)) return;
  await new Promise<void>((resolve) => {
    const goOn = (): void => {
      for (const event of GOES_ON) stdout.off(event, goOn);
      resolve();
    };
    for (const event of GOES_ON) stdout.on(event, goOn);
  });
}

/** Items for users and pipes: one row each, with the reason of a failure in the last column. */
const HEADER = ['ID', 'KIND', 'STATE', 'SINCE', 'CODE', 'PATH', 'REMOTE_ID', 'MESSAGE'];

class ItemsText implements ItemsPrinter {
  readonly #campaign: string;
  readonly #table = new Table(HEADER);

  constructor({ name }: OutputTree) {
    this.#campaign = name;
  }

  line({ id, kind, state, since, code, path, remoteId, message }: ItemLine): Promise<void> {
    const time = since === null ? '' : formatTime(since);
    this.#table.add([id, kind, state, time, code, path, remoteId, message]);
    return Promise.resolve();
  }

  end(): Promise<void> {
    if (this.#table.end() === 0) say(`${this.#campaign} has no such item.`);
    return Promise.resolve();
  }
}

const TIME = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });

/** `2026-11-21T02:14:33` in local time; without a space, so that columns can be counted. */
function formatTime(iso: string): string {
  return TIME.format(new Date(iso)).replace(' ', 'T');
}

interface ItemsFlags extends CommonFlags, RowFlags {
  readonly out?: string;
}

export async function items(given: string | undefined, wanted: ItemsFlags): Promise<number> {
  const { name, flags } = await findMeant(given, wanted);
  const settings = loadCommandSettings(flags, { tokens: 'optional' });
  const expected = buildCampaignAddress(flags.out ?? settings.storeUrl, name);
  const show = (tree: OutputTree, open: ReadonlyMap<string, OpenItem>) => print(tree, open, flags);
  // If no server runs, nothing progresses: the tree has the complete state, and reading it is fast.
  if (!settings.temporal && !isHostRunning(settings.embeddedDir)) {
    const tree = await openTreeIfAny(expected, name);
    if (tree) return show(tree, new Map());
  }
  return withCampaign({ name, flags }, 'look', async ({ client }, { open, out }) => {
    const tree = await requireTree(flags.out === undefined ? out : expected, name, true);
    return show(tree, open ? await openItems(client, name) : new Map<string, OpenItem>());
  });
}

function isHostRunning(embeddedDir: string): boolean {
  const record = readRecord(embeddedDir, 'host');
  return record !== null && isAlive(record.pid);
}

async function print(
  tree: OutputTree,
  open: ReadonlyMap<string, OpenItem>,
  flags: ItemsFlags,
): Promise<number> {
  const isMeant = selectRows(flags);
  const printer = flags.json ? new ItemsDocument(tree) : new ItemsText(tree);
  for await (const line of listItemLines(tree, open, isMeant)) await printer.line(line);
  await printer.end();
  return EXIT.ok;
}
