/** What was logged about a campaign or an item, and what the ledger of this machine has. */
import { createReadStream, createWriteStream, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Settings } from '../config/settings.ts';
import type { Environment } from '../domain/environment.ts';
import { hasErrno } from '../domain/errno.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { createFolderError } from '../host/lock.ts';
import { parseJson } from '../kinds/json.ts';
import { Ledger, LEDGER_FILE } from '../ledger/ledger.ts';
import { readListedItems } from '../report/campaign-items.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../state/private-folder.ts';
import { chooseStatePath } from '../state/state-folder.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { buildItemKey, JOB_LOG } from '../store/layout.ts';
import { buildItemWorkflowId } from '../workflows/names.ts';
import type { CampaignTree } from './find.ts';

interface Logs {
  /** Null for a whole campaign. */
  readonly record: ItemRecord | null;
  /** In the order in which they were written. */
  readonly worker: readonly LogLine[];
  /** The log of the service's engine, if it was part of the item's result. */
  readonly engine: string | null;
}

/**
 * @param id of one item; null for all of the campaign
 * @throws HundredfoldError `ITEM_UNKNOWN`
 */
export async function readLogs(
  tree: CampaignTree,
  id: string | null,
  settings: Settings,
): Promise<Logs> {
  const { name } = tree.campaign;
  const record = id === null ? null : await findRecord(tree, id);
  const engine =
    record && (await tree.store.readText(buildItemKey(record.kind, record.id, JOB_LOG)));
  const item = id === null ? null : buildItemWorkflowId(name, id);
  const worker: LogLine[] = [];
  for await (const line of readWorkerLog(settings))
    if (line.campaign === name && (item === null || line.item === item)) worker.push(line);
  return { record, worker, engine };
}

async function findRecord({ store, campaign }: CampaignTree, id: string): Promise<ItemRecord> {
  for await (const item of readListedItems(store, campaign))
    if (item.id === id && item.record !== null) return item.record;
  throw new HundredfoldError(
    'ITEM_UNKNOWN',
    `the campaign ${campaign.name} has no item ${id}`,
    `hundredfold items ${campaign.name} lists them.`,
  );
}

/*
 * The log of a worker that runs inside a command goes to a file, because the terminal is used by the command. How it is
 * written, and read.
 */

const buildLogPath = (embeddedDir: string): string => join(embeddedDir, 'worker.log');

/** Returns what writes a line to `worker.log`. @throws HundredfoldError `HOST_FOLDER_UNUSABLE` */
export function openWorkerLog({ embeddedDir }: Settings): (line: string) => void {
  try {
    mkdirSync(embeddedDir, { recursive: true, mode: PRIVATE_FOLDER });
  } catch (cause) {
    throw createFolderError(embeddedDir, cause);
  }
  const file = createWriteStream(buildLogPath(embeddedDir), {
    flags: 'a',
    mode: PRIVATE_FILE,
  });
  // A log that cannot be written (a full disk) must not end the campaign that it is about.
  file.on('error', () => undefined);
  return (line) => void file.write(line);
}

export interface LogLine {
  readonly time: string;
  readonly level: string;
  readonly message: string;
  readonly campaign?: string;
  readonly item?: string;
}

/** null for an incomplete line, as after a crash. */
export function parseLogLine(line: string): LogLine | null {
  return (parseJson(line) ?? null) as LogLine | null;
}

/** Nothing if no worker has logged yet. */
async function* readWorkerLog({ embeddedDir }: Settings): AsyncGenerator<LogLine> {
  const lines = createInterface({ input: createReadStream(buildLogPath(embeddedDir)) });
  try {
    for await (const line of lines) {
      const read = parseLogLine(line);
      if (read !== null) yield read;
    }
  } catch (error) {
    if (!hasErrno(error, 'ENOENT')) throw error;
  }
}

interface LedgerView {
  readonly path: string;
  readonly accounts: ReturnType<Ledger['list']>;
  /** ms since a damaged ledger was replaced by a new one. */
  readonly begunAgain: number | null;
}

/** null if nothing was sent from this machine yet. Creates no file. Throws LEDGER_UNUSABLE. */
export function viewLedger(environment: Environment): LedgerView | null {
  const folder = chooseStatePath(environment);
  if (!existsSync(join(folder, LEDGER_FILE))) return null;
  const ledger = new Ledger({ folder });
  try {
    return { path: ledger.path, accounts: ledger.list(), begunAgain: ledger.begunAgain() };
  } finally {
    ledger.stop();
  }
}

/** `predictions (host), credential c0ffee00: 12 submissions in the last hour` */
export function formatAccounts({ accounts }: LedgerView): string[] {
  return accounts
    .filter(({ charges }) => charges.length > 0)
    .map(({ service, address, credential, charges: { length } }) => {
      const jobs = `${length} ${length === 1 ? 'submission' : 'submissions'}`;
      return `${service} (${address}), credential ${credential}: ${jobs} in the last hour`;
    });
}
