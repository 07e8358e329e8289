/**
 * `ro-crate-metadata.json`: describes the tree for people and programs that do not know this project (RO-Crate 1.2,
 * https://w3id.org/ro/crate/1.2, and its profile Process Run Crate, https://w3id.org/ro/wfrun/process/0.5): the root,
 * the tables, the engines with their versions and the works to cite, the folder of each item as a dataset, and the
 * campaign as one action. The files and jobs of an item are in its item.json. The same tree gives the same bytes, one
 * entity per line.
 */
import { FINAL_STATES, type Kind, type ServiceName } from '../domain/campaign.ts';
import { parseEngineVersion } from '../domain/engines.ts';
import { findShownService } from '../services/registry.ts';
import {
  CAMPAIGN_SUMMARY,
  CHECKSUMS,
  CRATE,
  FAILED_TABLE,
  buildItemFolder,
  ITEMS_TABLE,
  MULTIQC,
  REPORT,
  nameResultFile,
  listTableKeys,
} from '../store/layout.ts';
import { type CampaignItem, readError, readState } from '../store/campaign-items.ts';
import type { CampaignSummary } from './campaign-summary.ts';
import type { DerivedFiles, OpenFile, PublishedItem, Writer } from './writer.ts';

/** An entity of a crate. */
interface Entity {
  readonly '@id': string;
  readonly [property: string]: unknown;
}

const SPECIFICATION = 'https://w3id.org/ro/crate/1.2';
/** The base of the profile Process Run Crate, whose validators look for it; RO-Crate 1.2 recommends a single one. */
const FORMER_SPECIFICATION = 'https://w3id.org/ro/crate/1.1';

const METADATA: Entity = {
  '@id': CRATE,
  '@type': 'CreativeWork',
  conformsTo: [{ '@id': SPECIFICATION }, { '@id': FORMER_SPECIFICATION }],
  about: { '@id': './' },
};

const PROFILE: Entity = {
  '@id': 'https://w3id.org/ro/wfrun/process/0.5',
  '@type': ['CreativeWork', 'Profile'],
  name: 'Process Run Crate',
  version: '0.5',
};

/** The profile requires the person who ran the campaign, which only the user can add. */
const AGENT: Entity = {
  '@id': '#agent',
  '@type': 'Person',
  name: 'Who ran the campaign is not stated',
};

/** RO-Crate requires a licence, which only the user can choose. */
const NO_LICENCE: Entity = {
  '@id': '#licence-not-stated',
  '@type': 'CreativeWork',
  name: 'No licence is stated',
  description:
    'Whoever ran the campaign has not said under which terms its files may be used: ask before you use them.',
};

const MEANING: Readonly<Record<string, string>> = {
  [CAMPAIGN_SUMMARY]: 'What ran: manifests, settings, versions, counts and times',
  [ITEMS_TABLE]: 'One row an item: its state, its job and where its files are',
  [FAILED_TABLE]: 'The rows that failed or are held, each with its reason: a manifest again',
  [REPORT]: 'The results to look at, in any browser',
  [MULTIQC]: 'The items and their measures for MultiQC',
  [CHECKSUMS]: 'SHA-256 of every file, for sha256sum --check',
};

const FORMATS: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  html: 'text/html',
  parquet: 'application/vnd.apache.parquet',
};

/** Writes the metadata item by item. */
export class Crate implements Writer {
  readonly #file: OpenFile;
  /** The folders of the items. */
  readonly #folders: string[] = [];
  readonly #kinds = new Set<Kind>();
  #before = `{"@context":"${SPECIFICATION}/context","@graph":[\n`;
  /** Of the results of each service; empty if none of them states its own. */
  readonly #versions = new Map<ServiceName, Set<string>>();

  constructor(files: DerivedFiles) {
    this.#file = files.open(CRATE);
  }

  async add({ item, texts }: PublishedItem): Promise<void> {
    if (item.kind !== null) this.#kinds.add(item.kind);
    if ('refused' in item) return;
    const { kind, record } = item;
    const dataset = createDataset(item);
    this.#folders.push(dataset['@id']);
    await this.#write(JSON.stringify(dataset));
    if (record === null) return;
    const versions = this.#versions.get(record.service) ?? new Set();
    this.#versions.set(record.service, versions);
    const pattern = findShownService(record.service).software?.version;
    const stated = pattern?.exec(texts.get(nameResultFile(kind)) ?? '')?.[1];
    const version = parseEngineVersion(record) ?? stated;
    if (version !== undefined) versions.add(version);
  }

  async end(summary: CampaignSummary): Promise<void> {
    for (const entity of this.#others(summary)) await this.#write(JSON.stringify(entity));
    await this.#file.write('\n]}\n');
    await this.#file.end();
  }

  async #write(entity: string): Promise<void> {
    await this.#file.write(this.#before + entity);
    this.#before = ',\n';
  }

  /** All but the items. */
  #others(summary: CampaignSummary): readonly Entity[] {
    const files = [...Object.keys(MEANING), ...listTableKeys([...this.#kinds])]
      .sort()
      .map(createFileEntity);
    const software = [createToolEntity(summary), ...this.#engines()];
    const manifests = summary.manifests.map(createManifestEntity);
    return [
      ...[METADATA, PROFILE, NO_LICENCE, AGENT, ...files, ...software, ...manifests],
      createActionEntity(summary, software, manifests),
      createRootEntity(summary, [...files, ...this.#folders]),
    ];
  }

  #engines(): readonly Entity[] {
    return [...this.#versions].sort().flatMap(([service, versions]) => {
      const stated = versions.size === 0 ? [null] : [...versions].sort();
      return stated.map((version) => createEngineEntity(service, version));
    });
  }
}

const toReference = (entity: Entity | string): { readonly '@id': string } => ({
  '@id': typeof entity === 'string' ? entity : entity['@id'],
});

/** An item without its own job has the result of another one. */
function createDataset(item: CampaignItem): Entity {
  const { id, kind, record } = item;
  const code = readError(item)?.code;
  const from = record?.resultFrom;
  return {
    '@id': `${buildItemFolder(kind, id)}/`,
    '@type': 'Dataset',
    name: record?.title ?? id,
    description: `${readState(item)}${code === undefined ? '' : ` (${code})`}`,
    ...(record?.finishedAt && { dateModified: record.finishedAt }),
    ...(from?.type === 'duplicate' && {
      isBasedOn: toReference(`${buildItemFolder(kind, from.id)}/`),
    }),
    ...(from?.type === 'cache' && {
      abstract: `The result of ${from.id} in the campaign ${from.campaign}`,
    }),
  };
}

function createFileEntity(key: string): Entity {
  return {
    '@id': encodeURI(key),
    '@type': 'File',
    name: key,
    ...(MEANING[key] !== undefined && { description: MEANING[key] }),
    encodingFormat: FORMATS[key.slice(key.lastIndexOf('.') + 1)] ?? 'text/plain',
  };
}

function createToolEntity({ versions }: CampaignSummary): Entity {
  const others = Object.entries(versions).filter(([name]) => name !== 'hundredfold');
  return {
    '@id': '#hundredfold',
    '@type': 'SoftwareApplication',
    name: 'hundredfold',
    description: 'Sent the jobs within their budget, fetched and checked the results.',
    version: versions['hundredfold'] ?? 'unknown',
    // It has no home page; the summary has the known facts about it.
    url: CAMPAIGN_SUMMARY,
    ...(others.length > 0 && {
      softwareRequirements: others.map(([name, version]) => `${name} ${version}`).join(', '),
    }),
  };
}

/** Items may be computed by several versions of an engine: each item.json has its own. */
function createEngineEntity(service: ServiceName, version: string | null): Entity {
  const { software, title, terms } = findShownService(service);
  const { name, url, citation } = { citation: undefined, name: title, url: terms, ...software };
  return {
    '@id': version === null ? `#${service}` : `#${service}-${version}`,
    '@type': 'SoftwareApplication',
    name,
    url,
    citation,
    version: version ?? 'not stated by the results',
    description: `Computed results of the service ${service}; ${CAMPAIGN_SUMMARY} has its address.`,
  };
}

/** It is outside the tree: described by its original name and its digest. */
function createManifestEntity(
  { file, sha256 }: CampaignSummary['manifests'][number],
  index: number,
): Entity {
  return {
    '@id': `#manifest-${index + 1}`,
    '@type': 'CreativeWork',
    name: file,
    description: `A manifest of the campaign; no part of this tree. Its SHA-256 is ${sha256}.`,
    identifier: `sha256:${sha256}`,
  };
}

function createActionEntity(
  { state, runs, started_at, ended_at }: CampaignSummary,
  software: readonly Entity[],
  manifests: readonly Entity[],
): Entity {
  const objects = manifests.map(toReference);
  const again = runs.length > 1 ? ` in ${runs.length} runs` : '';
  const status = state === 'completed' ? 'Completed' : 'Failed';
  return {
    '@id': '#campaign',
    '@type': 'CreateAction',
    name: `The campaign (${state})`,
    description: `Sent the jobs and fetched their results${again}; each item.json has the times of its own.`,
    startTime: formatCrateTime(started_at),
    endTime: formatCrateTime(ended_at ?? started_at),
    agent: toReference(AGENT),
    actionStatus: `http://schema.org/${status}ActionStatus`,
    instrument: software.map(toReference),
    // RO-Crate has no arrays of one.
    object: objects.length === 1 ? objects[0] : objects,
    result: toReference('./'),
  };
}

/** `2026-11-21T20:00:04+00:00`, the format that the profile's validator accepts. */
function formatCrateTime(text: string): string {
  return text.replace(/(?:\.000)?Z$/, '+00:00');
}

function createRootEntity(summary: CampaignSummary, parts: readonly (Entity | string)[]): Entity {
  const { name, items, started_at, ended_at } = summary;
  const counts = FINAL_STATES.filter((end) => items[end] > 0).map((end) => `${items[end]} ${end}`);
  const ended = counts.length === 0 ? '' : `: ${counts.join(', ')}`;
  return {
    '@id': './',
    '@type': 'Dataset',
    conformsTo: toReference(PROFILE),
    name: `Campaign ${name}`,
    description: `Results of ${items.total} items computed by hundredfold${ended}. ${CHECKSUMS} has the SHA-256 of every file.`,
    datePublished: ended_at ?? started_at,
    license: toReference(NO_LICENCE),
    hasPart: parts.map(toReference),
    mentions: toReference('#campaign'),
  };
}
