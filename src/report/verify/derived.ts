/** Compares the derived files (tables, summary, crate and checksums) with the items as they are. */
import { CAMPAIGN_SUMMARY, CHECKSUMS, CRATE } from '../../store/layout.ts';
import type { PreparedCampaign } from '../../store/prepared-campaign.ts';
import type { Store } from '../../store/store.ts';
import { listedItems } from '../campaign-items.ts';
import { tablesOf, type TableColumns } from '../campaign-tables.ts';
import { summaryToDisk, type CampaignSummary } from '../campaign-summary.ts';
import { checksums } from '../checksums.ts';
import { crate } from '../crate.ts';
import { passParts } from '../result-pass.ts';
import {
  compareBytes,
  compareLines,
  compareTable,
  groupOf,
  type FileDifference,
} from './derived-file.ts';
import { type GroupDifference, readable } from './compare-groups.ts';
import { REMEDIES, type Check, type FoundFault } from './fault.ts';

export interface Derivation {
  readonly store: Store;
  readonly campaign: PreparedCampaign;
  readonly columns: TableColumns;
  /** Whether a fault of this item or folder is already reported: its consequences are not reported again. */
  readonly isReported: (about: string) => boolean;
  readonly signal?: AbortSignal;
}

/** items.csv, failed.csv and the result tables, in one pass over the items. */
export async function checkTables(derivation: Derivation): Promise<readonly FoundFault[]> {
  const { store, campaign, columns, isReported } = derivation;
  const compared = new Map<string, readonly FileDifference[]>();
  const faults: FoundFault[] = [];
  const write = async (key: string, data: AsyncIterable<Uint8Array>): Promise<void> => {
    if (!(await store.exists(key))) {
      faults.push(missing('tables', key));
      for await (const _ of data);
      return;
    }
    const compare = key.endsWith('.parquet') ? compareBytes : compareTable;
    compared.set(key, await compare(store, key, data));
  };
  const source = { store, items: listedItems(store, campaign) };
  await passParts(source, tablesOf({ write }, columns), () => derivation.signal?.throwIfAborted());
  for (const [key, differences] of compared) {
    const found = differences.filter(({ about }) => !isReported(about));
    // A Parquet file has the rows of its CSV file: if that differs, a second fault is not reported.
    if (key.endsWith('.parquet') && (compared.get(csvBeside(key)) ?? []).length > 0) continue;
    faults.push(...found.map(({ message }) => derived('tables', key, message)));
  }
  return faults;
}

function csvBeside(key: string): string {
  return key.replace(/\.parquet$/, '.csv');
}

/** Compares the counts of campaign.json. */
export async function checkSummary(
  store: Store,
  expected: CampaignSummary,
): Promise<readonly FoundFault[]> {
  const text = await store.readText(CAMPAIGN_SUMMARY);
  if (text === null) return [missing('summary', CAMPAIGN_SUMMARY)];
  const [published, counted] = [objectIn(text), objectIn(summaryToDisk(expected))];
  const faults: FoundFault[] = [];
  const compare = (found: unknown, should: unknown, what: string): void => {
    if (found === should) return;
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
  return faults;
}

export async function checkCrate(
  { store, campaign, isReported, signal }: Derivation,
  summary: CampaignSummary,
): Promise<readonly FoundFault[]> {
  if (!(await store.exists(CRATE))) return [missing('crate', CRATE)];
  const made = crate(store, campaign, summary, () => signal?.throwIfAborted());
  const differences = await compareLines(store, CRATE, made, {
    keyOf: (line) => /^\{"@id":"([^"]+)"/.exec(line)?.[1] ?? '',
    message: crateMessage,
  });
  return differences
    .filter(({ about }) => !isReported(about))
    .map(({ message }) => derived('crate', CRATE, message));
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
}: Derivation): Promise<readonly FoundFault[]> {
  if (!(await store.exists(CHECKSUMS))) return [missing('checksums', CHECKSUMS)];
  const made = checksums(store, () => signal?.throwIfAborted());
  const differences = await compareLines(store, CHECKSUMS, made, {
    keyOf: (line) => line.slice(DIGEST_AND_BLANKS),
    message: checksumMessage,
  });
  return differences.filter(({ about }) => !isReported(about)).map(checksumFault);
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
