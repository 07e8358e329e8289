/** The items in a crate: a dataset for each folder, and the job that made it. */
import { itemFolder, type ItemLayout } from '../store/layout.ts';
import { errorOf, stateOf, type CampaignItem } from './campaign-items.ts';
import type { Entity } from './crate-files.ts';
import { clipped, CrateJobs, hasJob, inputId } from './crate-jobs.ts';
import { crateVersion } from './crate-software.ts';

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

export class CrateItems {
  readonly jobs: CrateJobs;

  constructor(layout: ItemLayout) {
    this.jobs = new CrateJobs(layout);
  }

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
    '@id': `${itemFolder(item, kind, id)}/`,
    '@type': 'Dataset',
    name: clipped(record?.title ?? id, textBytes),
    description: `${stateOf(item)}${code === undefined ? '' : ` (${code})`}${engine}`,
    ...(isOwnJob
      ? { hasPart: { '@id': inputId(item, record) } }
      : record?.finishedAt && { dateModified: record.finishedAt }),
    ...sourceOf(item),
  };
}

/** An item without its own job has the result of another one. */
function sourceOf(item: CampaignItem): Readonly<Record<string, unknown>> {
  const from = item.record?.resultFrom;
  if (from === undefined) return {};
  if (from.type === 'duplicate') {
    return { isBasedOn: { '@id': `${itemFolder(item, item.kind, from.id)}/` } };
  }
  return { abstract: `The result of ${from.id} in the campaign ${from.campaign}` };
}
