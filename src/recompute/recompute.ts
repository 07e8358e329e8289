/** Recomputes results with the engines of this machine, and compares them with those in the tree. */
import { availableParallelism } from 'node:os';
import type { Kind } from '../domain/item.ts';
import type {
  Engine,
  EngineContext,
  EngineJob,
  EngineOutcome,
} from '../local-services/engines/engine.ts';
import { campaignItems } from '../report/campaign-items.ts';
import { readResult } from '../report/result-reading.ts';
import { engineVersion } from '../report/tables/engine-version.ts';
import { readAlignment } from '../results/alignment.ts';
import { readMolecule } from '../results/molecule.ts';
import type { ResultReading } from '../results/reading.ts';
import { readSequences } from '../results/sequence.ts';
import { readShifts } from '../results/shifts.ts';
import { inParallel } from '../store/in-parallel.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { readItem } from '../store/item-store.ts';
import { itemFolder, itemKey } from '../store/layout.ts';
import type { PreparedCampaign } from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import { compareReadings, TOLERANCES, type Agreement } from './compare-readings.ts';
import { engineJob, isRepeatable } from './job.ts';
import { sampleOf, sizeOf, type Share } from './share.ts';
import { VersionedEngines, type Versioned } from './versioned-engines.ts';

export interface RecomputeOptions {
  /** The number of items, or their ids. */
  readonly sample: Share | { readonly ids: readonly string[] };
  readonly seed: string;
  readonly onItem?: (item: RecomputedItem) => void;
}

export interface RecomputedItem extends Agreement {
  readonly id: string;
  readonly kind: Kind;
  /** The engine recorded in the tree; null if the service did not report it. */
  readonly recorded: string | null;
  /** The engine that recomputed it. */
  readonly engine: string;
  /** Whether that is the version recorded in the tree; null if the service did not report it. */
  readonly sameVersion: boolean | null;
}

export interface Recomputed {
  /** Items whose results can be recomputed. */
  readonly eligible: number;
  readonly seed: string;
  readonly tolerances: typeof TOLERANCES;
  /** In campaign order. */
  readonly items: readonly RecomputedItem[];
  /** Recorded versions that are not installed here, each with the version used instead, one sentence each. */
  readonly notes: readonly string[];
}

/** @throws HundredfoldError `LOCAL_SERVICES_ENGINE` if an engine is not installed, before anything is computed */
export async function recompute(
  store: Store,
  campaign: PreparedCampaign,
  { sample, seed, onItem }: RecomputeOptions,
): Promise<Recomputed> {
  const eligible = await eligibleItems(store, campaign);
  const chosen = chosenOf([...eligible.keys()], sample, seed);
  const items = chosen.flatMap((name) => eligible.get(name) ?? []);
  const engines = new VersionedEngines(items);
  const done = new Map<Candidate, RecomputedItem>();
  try {
    await inParallel(items, availableParallelism(), async (candidate) => {
      const item = await repeat(store, candidate, engines.of(candidate));
      done.set(candidate, item);
      onItem?.(item);
    });
  } finally {
    await engines.close();
  }
  const inOrder = items.flatMap((candidate) => done.get(candidate) ?? []);
  const { notes } = engines;
  return { eligible: eligible.size, seed, tolerances: TOLERANCES, items: inOrder, notes };
}

interface Candidate extends Versioned {
  readonly kind: Kind;
  readonly id: string;
}

/** By their folders. */
async function eligibleItems(
  store: Store,
  campaign: PreparedCampaign,
): Promise<ReadonlyMap<string, Candidate>> {
  const eligible = new Map<string, Candidate>();
  for await (const { record } of campaignItems(store, campaign)) {
    if (record === null || !isRepeatable(record)) continue;
    const { kind, id, service } = record;
    const version = engineVersion(record);
    eligible.set(itemFolder(store, kind, id), { kind, id, service, version });
  }
  return eligible;
}

function chosenOf(
  names: readonly string[],
  sample: RecomputeOptions['sample'],
  seed: string,
): readonly string[] {
  if (!('ids' in sample)) return sampleOf(names, sizeOf(sample, names.length), seed);
  const wanted = new Set(sample.ids);
  return names.filter((name) => wanted.has(name.slice(name.indexOf('/') + 1)));
}

async function repeat(
  store: Store,
  { kind, id, version }: Candidate,
  engine: Engine,
): Promise<RecomputedItem> {
  const record = await readItem(store, kind, id);
  const recorded = record?.engine ?? null;
  const sameVersion =
    version === null ? null : engineVersion({ engine: engine.version }) === version;
  const about = { id, kind, recorded, engine: engine.version, sameVersion };
  const input = record && (await store.readText(itemKey(store, kind, id, record.input.name)));
  const before = record && (await readResult(store, record));
  if (record === null || input === null || before === null) {
    return { ...about, ...gone('its input or its result cannot be read') };
  }
  const job = engineJob(record, input);
  const compared = compareOutcome(record, before, await engine.run(job, ALONE));
  const placed = compared.agrees ? null : await placedJob(store, record, job, compared);
  if (placed === null) return { ...about, ...compared };
  // Another conformation has other charges: the comparison with the conformation in the tree counts.
  const again = compareOutcome(record, before, await engine.run(placed, ALONE));
  return {
    ...about,
    ...again,
    detail: `${again.detail}, from the places of the atoms in the tree`,
  };
}

function compareOutcome(
  record: ItemRecord,
  before: ResultReading,
  outcome: EngineOutcome,
): Agreement {
  if (!outcome.ok) return gone(`the job failed: ${outcome.message}`);
  const result = outcome.outputs.find(({ name }) => name === 'result');
  const text = Buffer.from(result?.body ?? []).toString();
  const now = readingOf(record, text);
  return now === null ? gone('the engine gave no result') : compareReadings(before, now);
}

function gone(detail: string): Agreement {
  return { agrees: false, furthest: null, detail };
}

function readingOf({ kind, input }: ItemRecord, text: string): ResultReading | null {
  switch (kind) {
    case 'molecule': {
      const files = JSON.parse(text) as Readonly<Record<string, string>>;
      const { GMX_itp: itp = '', NEW_pdb: pdb = '', AC_frcmod: frcmod = '' } = files;
      return readMolecule({ itp, pdb, frcmod });
    }
    case 'sequence':
      return readSequences(text, input.names);
    case 'alignment':
      return readAlignment(text, null, input.names);
    case 'shifts':
      return readShifts(text);
  }
}

/**
 * A SMILES gets another conformation each time, which changes the AM1-BCC charges: if only charges differ, this is the
 * job that starts from the atom positions in the tree. Otherwise null.
 */
async function placedJob(
  store: Store,
  record: ItemRecord,
  job: EngineJob,
  { furthest }: Agreement,
): Promise<EngineJob | null> {
  if (job.kind !== 'molecule' || job.smiles === null || furthest === null) return null;
  const ending = `_${job.chargeMethod}_${job.atomType}.mol2`;
  const name = Object.keys(record.files).find((file) => file.endsWith(ending));
  if (name === undefined) return null;
  const inputFile = await store.readText(itemKey(store, record.kind, record.id, name));
  return inputFile === null ? null : { ...job, smiles: null, inputFile, fileName: 'placed.mol2' };
}

/** No heartbeats are needed here. */
const ALONE: EngineContext = {
  signal: new AbortController().signal,
  heartbeatEveryMs: 1000,
  progress: () => undefined,
  heartbeat: () => undefined,
};
