/**
 * Writes the output tree of a campaign that has ended, without running anything: what the report and the tables are
 * measured on. `node bench/finished-tree.ts [--each 2500] [--kind molecule] DIR`. The same tree each time; it
 * is not published.
 *
 * The results are the recorded ones of the real engines, repeated.
 */
import { parseArgs } from 'node:util';
import type { Kind } from '../src/domain/campaign.ts';
import type { CampaignEnd } from '../src/report/campaign-summary.ts';
import type { FileDigest, Store } from '../src/store/store.ts';
import { openStore } from '../src/store/open-store.ts';
import { runInParallel } from '../src/domain/process.ts';
import { writeInvalidRows } from '../src/store/prepared-campaign.ts';
import type { ItemRecord } from '../src/store/item-record.ts';
import { readItem, writeItem } from '../src/store/item-store.ts';
import { buildItemKey } from '../src/store/layout.ts';
import { prepareCampaign } from '../src/store/prepare.ts';
import { badEnd, endedRecord, STARTED_AT, Submissions } from './finished-tree/ending.ts';
import type { Finished, FinishedJob, Maker } from './finished-tree/finished.ts';
import { moleculeMaker } from './finished-tree/molecules.ts';
import { type PredictionKind, predictionMaker } from './finished-tree/predictions.ts';
import { listKindNames } from '../src/kinds/registry.ts';

/** More would only add disk seeks. */
const WRITE_LIMIT = 8;
/** One refused row of the manifest per this number of items. */
const ITEMS_PER_INVALID = 400;

interface FinishedTree {
  readonly store: Store;
  /** For `publishCampaign`. */
  readonly end: CampaignEnd;
}

/** Items of each kind: molecules, sequences, alignments and shifts take turns in the manifest. */
export async function writeFinishedTree(
  folder: string,
  each: number,
  kinds: readonly Kind[] = listKindNames(),
): Promise<FinishedTree> {
  const store = await openStore(folder);
  const makers = kinds.map((kind) =>
    kind === 'molecule' ? moleculeMaker() : predictionMaker(kind as PredictionKind),
  );
  await prepareCampaign(store, CAMPAIGN, itemsOf(makers, each));
  await writeInvalidRows(
    store,
    invalidRows(Math.floor((each * makers.length) / ITEMS_PER_INVALID)),
  );
  let endedAt = STARTED_AT;
  await runInParallel(
    endings(makers, each),
    Math.max(WRITE_LIMIT, store.atOnce),
    async (ending) => {
      const { finishedAt } = await writeEnding(store, ending);
      if (finishedAt !== null && finishedAt > endedAt) endedAt = finishedAt;
    },
  );
  const versions = { hundredfold: '0.0.0-bench', node: process.versions.node };
  return { store, end: { state: 'completed', startedAt: STARTED_AT, endedAt, versions } };
}

const CAMPAIGN = {
  name: 'finished',
  manifestDigests: [{ file: 'finished.csv', sha256: 'b'.repeat(64) }],
  settings: {
    services: {
      molecules: {
        url: 'https://molecules.example.org/acpype',
        budget: { windows: [{ limit: 100, windowMs: 3_600_000 }] },
      },
      predictions: {
        url: 'https://predictions.example.org',
        budget: { windows: [{ limit: 100, windowMs: 3_600_000 }] },
      },
    },
    store: { url: './results' },
  },
};

function* itemsOf(makers: readonly Maker[], each: number): Generator<Finished['item']> {
  for (let n = 0; n < each; n += 1) for (const make of makers) yield make(n).item;
}

interface Ending {
  readonly finished: Finished;
  readonly job: FinishedJob;
  /** The item's number within its kind. */
  readonly turn: number;
}

function* endings(makers: readonly Maker[], each: number): Generator<Ending> {
  const submissions = new Submissions();
  for (let turn = 0; turn < each; turn += 1) {
    for (const make of makers) {
      const finished = make(turn);
      yield { finished, job: submissions.next(finished), turn };
    }
  }
}

async function writeEnding(store: Store, { finished, job, turn }: Ending): Promise<ItemRecord> {
  const { kind, id } = finished.item;
  const record = await readItem(store, kind, id);
  if (record === null) throw new Error(`${id} was not prepared`);
  const bad = badEnd(finished, turn);
  const files: Record<string, FileDigest> = {};
  for (const [name, data] of bad ? [] : finished.files(job)) {
    const stored = await store.write(buildItemKey(kind, id, name), data, { durable: false });
    files[name] = stored;
  }
  const ended = { ...endedRecord(record, job, bad), files };
  await writeItem(store, ended, { durable: false });
  return ended;
}

async function* invalidRows(count: number) {
  for (let n = 0; n < count; n += 1) {
    const id = `refused-${n}`;
    const row = { id, kind: 'molecule', smiles: 'C1CC(', project: 'fragments' };
    const source = { file: 'refused.csv', line: n + 2 };
    const message = 'The SMILES "C1CC(" cannot be read.';
    yield await Promise.resolve({
      id,
      kind: 'molecule' as const,
      source,
      row,
      code: 'SMILES_SYNTAX',
      message,
    });
  }
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: {
      each: { type: 'string', default: '2500' },
      kind: { type: 'string', multiple: true, default: [...listKindNames()] },
    },
    allowPositionals: true,
  });
  const [folder] = positionals;
  if (folder === undefined)
    throw new Error('node bench/finished-tree.ts [--each 2500] [--kind molecule] DIR');
  const startedAt = performance.now();
  const kinds = listKindNames().filter((kind) => values.kind.includes(kind));
  await writeFinishedTree(folder, Number(values.each), kinds);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`${kinds.length * Number(values.each)} items in ${folder} after ${seconds} s`);
}
