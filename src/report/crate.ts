/**
 * `ro-crate-metadata.json`: describes the tree for people and programs that do not know this project (RO-Crate 1.2,
 * https://w3id.org/ro/crate/1.2, and its profile Process Run Crate). Every item's folder is a Dataset, its job an
 * action; its files are listed in its item.json and in SHA256SUMS: listing 200,000 of them again would take a hundred
 * megabytes.
 */
import type { Kind, ServiceName } from '../domain/item.ts';
import { CHECKSUMS, CRATE, itemFolder, ITEMS_TABLE } from '../store/layout.ts';
import type { PreparedCampaign } from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import { type CampaignItem, campaignItems, errorOf, stateOf } from './campaign-items.ts';
import type { CampaignSummary, RunSummary } from './campaign-summary.ts';
import { crateVersion, enginesOf, manifestEntities, toolEntity } from './crate-software.ts';
import { type Entity, filesAtTop } from './crate-files.ts';
import {
  AGENT,
  clipped,
  CrateJobs,
  crateTime,
  hasJob,
  inputId,
  PROFILE,
  STATUS,
} from './crate-jobs.ts';
import { kindNames, kindOf } from '../kinds/registry.ts';
import { shownServiceOfKind } from '../services/registry.ts';

const SPECIFICATION = 'https://w3id.org/ro/crate/1.2';
/**
 * The base of the profile Process Run Crate; the crate conforms to both, so every validator finds its version.
 * RO-Crate 1.2 recommends a single one. Rejected: 1.1 alone, whose context is not used here, and a second file.
 */
const FORMER_SPECIFICATION = 'https://w3id.org/ro/crate/1.1';
const CHUNK_BYTES = 64 * 1024;
/**
 * The same tree gives the same bytes: one entity per line, in manifest order. `onItem` is called for each item, and may
 * throw to abort.
 */
export async function* crate(
  store: Store,
  campaign: PreparedCampaign,
  summary: CampaignSummary,
  onItem: () => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  let text = `{"@context":"${SPECIFICATION}/context","@graph":[\n`;
  let between = '';
  for await (const entity of entities(store, campaign, summary, onItem)) {
    text += between + JSON.stringify(entity);
    between = ',\n';
    if (text.length < CHUNK_BYTES) continue;
    yield Buffer.from(text, 'utf8');
    text = '';
  }
  yield Buffer.from(`${text}\n]}\n`, 'utf8');
}

async function* entities(
  store: Store,
  campaign: PreparedCampaign,
  summary: CampaignSummary,
  onItem: () => void,
): AsyncGenerator<Entity> {
  const kinds = kindNames().filter((kind) => summary.kinds[kind] !== undefined);
  const files = await filesAtTop(store);
  const folders = kinds.filter((kind) => inFolders(summary, kind) > 0);
  yield {
    '@id': CRATE,
    '@type': 'CreativeWork',
    conformsTo: [ref(SPECIFICATION), ref(FORMER_SPECIFICATION)],
    about: { '@id': './' },
  };
  yield PROFILE;
  yield NO_LICENCE;
  yield AGENT;
  yield* files;
  const engines = await enginesOf(store, campaign, summary, servicesOf(folders));
  yield* runs(summary, engines, manifestEntities(summary), folders);
  const crateItems = new CrateItems();
  const members = new Map<Kind, string[]>(folders.map((kind) => [kind, []]));
  for await (const item of campaignItems(store, campaign)) {
    const { dataset, others } = crateItems.entitiesOf(item);
    members.get(item.kind)?.push(dataset['@id']);
    yield dataset;
    yield* others;
    onItem();
  }
  for (const [kind, ids] of members) {
    const name = `The items of the kind ${kind}`;
    const description = `One folder an item: its input, its record (item.json) and, where it succeeded, its results. ${ITEMS_TABLE} lists them.`;
    yield {
      '@id': folderOf(kind),
      '@type': 'Dataset',
      name,
      description,
      hasPart: compact(ids.map(ref)),
    };
  }
  // Last: it refers to every job.
  const parts = [...files.map((file) => file['@id']), ...folders.map(folderOf)];
  const actions = [...summary.runs.map((_, at) => runId(at)), ...crateItems.jobs.ids];
  yield root(summary, parts, actions);
}

/** RO-Crate has no arrays of one. */
const compact = <T>(list: readonly T[]): T | readonly T[] => {
  const [only] = list;
  return only !== undefined && list.length === 1 ? only : list;
};

const ref = (id: string): { '@id': string } => ({ '@id': id });

function folderOf(kind: Kind): string {
  return `${kindOf(kind).folder}/`;
}

/** Refused rows have no folder. */
function inFolders({ kinds }: CampaignSummary, kind: Kind): number {
  const counts = kinds[kind];
  return counts === undefined ? 0 : counts.total - counts.invalid;
}

function root(
  summary: CampaignSummary,
  parts: readonly string[],
  actions: readonly string[],
): Entity {
  const { name, items, startedAt, endedAt } = summary;
  const ends = ['succeeded', 'failed', 'held', 'cancelled', 'invalid'] as const;
  const counts = ends.filter((end) => items[end] > 0).map((end) => `${items[end]} ${end}`);
  const ended = counts.length === 0 ? '' : `: ${counts.join(', ')}`;
  return {
    '@id': './',
    '@type': 'Dataset',
    conformsTo: ref(PROFILE['@id']),
    name: `Campaign ${name}`,
    description: `Results of ${items.total} items computed by hundredfold${ended}. ${CHECKSUMS} has the SHA-256 of every file.`,
    datePublished: endedAt ?? startedAt,
    license: ref(NO_LICENCE['@id']),
    hasPart: parts.map(ref),
    mentions: compact(actions.map(ref)),
  };
}

/** RO-Crate requires a licence, which only the user can choose. */
const NO_LICENCE: Entity = {
  '@id': '#licence-not-stated',
  '@type': 'CreativeWork',
  name: 'No licence is stated',
  description:
    'Whoever ran the campaign has not said under which terms its files may be used: ask before you use them.',
};

const runId = (at: number): string => `#run-${at + 1}`;

function* runs(
  summary: CampaignSummary,
  engines: readonly Entity[],
  manifests: readonly Entity[],
  folders: readonly Kind[],
): Generator<Entity> {
  const tool = toolEntity(summary);
  yield tool;
  yield* engines;
  yield* manifests;
  for (const [at, run] of summary.runs.entries()) {
    yield {
      '@id': runId(at),
      '@type': 'CreateAction',
      name: nameOf(run, at),
      description: 'Sent the jobs of the campaign and fetched their results.',
      startTime: crateTime(run.startedAt) ?? run.startedAt,
      ...(run.endedAt !== null && { endTime: crateTime(run.endedAt) ?? run.endedAt }),
      agent: ref(AGENT['@id']),
      actionStatus: RUN_STATUS[run.state] ?? STATUS.active,
      instrument: [tool, ...engines].map((one) => ref(one['@id'])),
      object: compact(manifests.map((one) => ref(one['@id']))),
      result: compact(folders.map((kind) => ref(folderOf(kind)))),
    };
  }
}

const RUN_STATUS: Readonly<Partial<Record<RunSummary['state'], string>>> = {
  completed: STATUS.completed,
  cancelled: STATUS.failed,
};

function nameOf({ state, retried }: RunSummary, at: number): string {
  const again = retried > 0 ? `, ${retried} items run again` : '';
  return `Run ${at + 1} of the campaign (${state}${again})`;
}

function servicesOf(kinds: readonly Kind[]): readonly ServiceName[] {
  return [...new Set(kinds.map((kind) => shownServiceOfKind(kind).name))];
}

/** Limit for all that a crate has of one item, references included. */
const ITEM_BYTES = 1000;
/**
 * Limits for a title or an engine's text, in bytes of JSON; the first that fits is used. A long id leaves less space,
 * because the entities contain it six times. item.json has the full texts.
 */
const TEXT_BYTES = [32, 16, 8, 4];

interface ItemEntities {
  readonly dataset: Entity;
  readonly others: readonly Entity[];
}

class CrateItems {
  readonly jobs = new CrateJobs();

  /** Call it once per item, in manifest order: jobs are numbered. */
  entitiesOf(item: CampaignItem): ItemEntities {
    for (const bytes of TEXT_BYTES) {
      const dataset = datasetOf(item, bytes);
      const { input, action } = this.jobs.next(item.record, bytes) ?? {};
      const entities = [dataset, input, action].filter((one) => one !== undefined);
      const isLast = bytes === TEXT_BYTES.at(-1);
      if (!isLast && bytesOf(dataset, action, entities) > ITEM_BYTES) continue;
      const engine = this.jobs.add(item.record);
      return { dataset, others: [...(engine ? [engine] : []), ...entities.slice(1)] };
    }
    throw new Error('no limit for texts');
  }
}

/** With the references to dataset and action, which are in other entities; two bytes each for a comma and a newline. */
function bytesOf(dataset: Entity, action: Entity | undefined, entities: readonly Entity[]): number {
  const references = [dataset, ...(action ? [action] : [])].map((one) => ({ '@id': one['@id'] }));
  const sizes = [...entities, ...references].map((one) => Buffer.byteLength(JSON.stringify(one)));
  return sizes.reduce((sum, size) => sum + size + 2, 0);
}

function datasetOf(item: CampaignItem, textBytes: number): Entity {
  const { id, kind, record } = item;
  const isOwnJob = record !== null && hasJob(record);
  // The instrument of its job names an engine with a version.
  const isNamed = record?.engine === undefined || crateVersion(record) !== null;
  const engine = isNamed ? '' : `, ${clipped(record.engine, textBytes)}`;
  // Its own job, if there is one, has the code and the end time.
  const code = isOwnJob ? undefined : errorOf(item)?.code;
  return {
    '@id': `${itemFolder(kind, id)}/`,
    '@type': 'Dataset',
    name: clipped(record?.title ?? id, textBytes),
    description: `${stateOf(item)}${code === undefined ? '' : ` (${code})`}${engine}`,
    ...(isOwnJob
      ? { hasPart: { '@id': inputId(record) } }
      : record?.finishedAt && { dateModified: record.finishedAt }),
    ...sourceOf(item),
  };
}

/** An item without its own job has the result of another one. */
function sourceOf(item: CampaignItem): Readonly<Record<string, unknown>> {
  const from = item.record?.resultFrom;
  if (from === undefined) return {};
  if (from.type === 'duplicate') {
    return { isBasedOn: { '@id': `${itemFolder(item.kind, from.id)}/` } };
  }
  return { abstract: `The result of ${from.id} in the campaign ${from.campaign}` };
}
