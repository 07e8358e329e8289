/** Compares the derived files (tables, summary, crate and checksums) with the items as they are. */
import {
  CAMPAIGN_SUMMARY,
  CHECKSUMS,
  CRATE,
  MEASURE_TABLES,
  itemOf,
  type ItemLayout,
} from '../../store/layout.ts';
import type { PreparedCampaign } from '../../store/prepared-campaign.ts';
import type { Store } from '../../store/store.ts';
import { listedItems } from '../campaign-items.ts';
import { tablesOf, type TableColumns } from '../campaign-tables.ts';
import { summaryToDisk, type CampaignSummary } from '../campaign-summary.ts';
import { checksums } from '../checksums.ts';
import { PROFILE } from '../crate-jobs.ts';
import { crate } from '../crate.ts';
import { passParts, type Maker } from '../result-pass.ts';
import {
  compareBytes,
  compareLines,
  compareTable,
  groupOf,
  type ComparedFile,
  type FileDifference,
} from './derived-file.ts';
import type { GroupDifference } from './compare-groups.ts';
import { REMEDIES, type Check, type FoundFault } from './fault.ts';
import { readable } from './line-groups.ts';

export interface Derivation {
  readonly store: Store;
  readonly campaign: PreparedCampaign;
  readonly columns: TableColumns;
  readonly maker: Maker;
  /** Whether a fault of this item or folder is already reported: its consequences are not reported again. */
  readonly isReported: (about: string) => boolean;
  readonly signal?: AbortSignal;
}

export interface DerivedFaults {
  readonly faults: readonly FoundFault[];
  readonly notes: readonly string[];
}

/** items.csv, failed.csv and the result tables, in one pass over the items. */
export async function checkTables(derivation: Derivation): Promise<DerivedFaults> {
  const { store, campaign, columns, maker, isReported } = derivation;
  const compared = new Map<string, ComparedFile>();
  const faults: FoundFault[] = [];
  const lacked: string[] = [];
  const measureTables = new Set(MEASURE_TABLES);
  const isEarlier = !(await isOneThere(store, MEASURE_TABLES));
  const write = async (key: string, data: AsyncIterable<Uint8Array>): Promise<void> => {
    if (!(await store.exists(key))) {
      if (isEarlier && measureTables.has(key)) lacked.push(key);
      else faults.push(missing('tables', key));
      for await (const _ of data);
      return;
    }
    const compare = key.endsWith('.parquet') ? compareBytes : compareTable;
    compared.set(key, await compare(store, key, data));
  };
  const source = { items: listedItems(store, campaign), own: columns.results, maker };
  await passParts(source, tablesOf({ write }, columns), () => derivation.signal?.throwIfAborted());
  const notes = lacked.length === 0 ? [] : [EARLIER_WITHOUT_MEASURES];
  for (const [key, { differences, lackedColumns }] of compared) {
    if (lackedColumns.length > 0) {
      notes.push(`${key} was written by an earlier version, without ${lackedColumns.join(', ')}.`);
    }
    const found = differences.filter(({ about }) => !isReported(about));
    // A Parquet file has the rows of its CSV file: if that differs, a second fault is not reported.
    if (key.endsWith('.parquet') && !isAsMade(compared.get(csvBeside(key)))) continue;
    faults.push(...found.map(({ message }) => derived('tables', key, message)));
  }
  return { faults, notes };
}

const EARLIER_WITHOUT_MEASURES =
  'The tree was published by an earlier version, without tables of measures; `hundredfold report NAME` writes them.';

async function isOneThere(store: Store, keys: readonly string[]): Promise<boolean> {
  for (const key of keys) if (await store.exists(key)) return true;
  return false;
}

function csvBeside(key: string): string {
  return key.replace(/\.parquet$/, '.csv');
}

function isAsMade(csv: ComparedFile | undefined): boolean {
  return csv === undefined || (csv.differences.length === 0 && csv.lackedColumns.length === 0);
}

/** Compares the counts of campaign.json. */
export async function checkSummary(
  store: Store,
  expected: CampaignSummary,
): Promise<DerivedFaults> {
  const text = await store.readText(CAMPAIGN_SUMMARY);
  if (text === null) return { faults: [missing('summary', CAMPAIGN_SUMMARY)], notes: [] };
  const [published, counted] = [objectIn(text), objectIn(summaryToDisk(expected))];
  const faults: FoundFault[] = [];
  const compare = (found: unknown, should: unknown, what: string): void => {
    // An earlier version did not count everything.
    if (found === undefined || found === should) return;
    const message = `${CAMPAIGN_SUMMARY} counts ${inWords(found)} ${what}, not ${inWords(should)}.`;
    faults.push(derived('summary', CAMPAIGN_SUMMARY, message));
  };
  for (const [state, count] of Object.entries(expected.items)) {
    compare(objectOf(published['items'])[state], count, state);
  }
  for (const [kind, counts] of Object.entries(objectOf(published['kinds']))) {
    const should = objectOf(objectOf(counted['kinds'])[kind]);
    for (const [state, count] of Object.entries(objectOf(counts))) {
      compare(count, should[state], `${state} of the kind ${kind}`);
    }
  }
  for (const name of ['duplicates', 'cached', 'adopted', 'submissions', 'rejected_429']) {
    compare(published[name], counted[name], name);
  }
  return { faults, notes: [] };
}

export async function checkCrate(
  { store, campaign, isReported, signal }: Derivation,
  summary: CampaignSummary,
): Promise<DerivedFaults> {
  if (!(await store.exists(CRATE))) return { faults: [missing('crate', CRATE)], notes: [] };
  const made = crate(store, campaign, summary, () => signal?.throwIfAborted());
  const former = !(await hasProfile(store));
  const { differences } = await compareLines(store, CRATE, made, {
    keyOf: (line) => /^\{"@id":"([^"]+)"/.exec(line)?.[1] ?? '',
    message: (difference) => crateMessage(difference),
    ...(former && { isFault: (difference) => isLostItem(store, difference) }),
  });
  const faults = differences
    .filter(({ about }) => !isReported(about))
    .map(({ message }) => derived('crate', CRATE, message));
  const note = `${CRATE} was written by an earlier version: only its list of items was compared.`;
  return { faults, notes: former ? [note] : [] };
}

/** Whether the crate describes the jobs: crates of earlier versions have only the items. */
async function hasProfile(store: Store): Promise<boolean> {
  for await (const chunk of store.readStream(CRATE)) {
    // It is on the second line.
    return Buffer.from(chunk).includes(`\n{"@id":"${PROFILE['@id']}"`);
  }
  return false;
}

/** The folder of an item is missing or too many. */
function isLostItem(layout: ItemLayout, difference: GroupDifference): boolean {
  const { key } = groupOf(difference);
  const item = itemOf(layout, key);
  return difference.type !== 'differs' && item !== null && key === `${item.folder}/`;
}

function crateMessage(difference: GroupDifference): string {
  const { key, line } = groupOf(difference);
  const entity = key === '' ? 'its frame' : readable(key);
  if (difference.type === 'missing') return `${CRATE} lacks the entity ${entity}.`;
  if (difference.type === 'extra') {
    return `${CRATE}, line ${line}: the entity ${entity} does not belong there.`;
  }
  return `${CRATE}, line ${line}: the entity ${entity} is not what the tree gives.`;
}

export async function checkChecksums({
  store,
  isReported,
  signal,
}: Derivation): Promise<DerivedFaults> {
  if (!(await store.exists(CHECKSUMS)))
    return { faults: [missing('checksums', CHECKSUMS)], notes: [] };
  const made = checksums(store, () => signal?.throwIfAborted());
  const { differences } = await compareLines(store, CHECKSUMS, made, {
    keyOf: (line) => line.slice(DIGEST_AND_BLANKS),
    message: checksumMessage,
  });
  const faults = differences.filter(({ about }) => !isReported(about)).map(checksumFault);
  return { faults, notes: [] };
}

/** 64 digits, two spaces. */
const DIGEST_AND_BLANKS = 66;

function checksumMessage(difference: GroupDifference): string {
  const key = readable(groupOf(difference).key);
  if (difference.type === 'missing') return `${key} is not in ${CHECKSUMS}: it was added later.`;
  if (difference.type === 'extra') return `${key} is missing; ${CHECKSUMS} lists it.`;
  return `${key} is not what was published: ${CHECKSUMS} has another digest.`;
}

function checksumFault({ type, about, message }: FileDifference): FoundFault {
  const remedy = type === 'missing' ? REMEDIES.stray : REMEDIES.derived;
  return { check: 'checksums', path: about === '' ? CHECKSUMS : about, message, remedy };
}

function missing(check: Check, path: string): FoundFault {
  return { ...derived(check, path, `${path} is missing.`), isMissing: true };
}

function derived(check: Check, path: string, message: string): FoundFault {
  return { check, path, message, remedy: REMEDIES.derived };
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function inWords(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}
