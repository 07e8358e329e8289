/** The entities of a crate that are not files: the software that made them, and the manifests. */
import type { ServiceName } from '../domain/item.ts';
import { CAMPAIGN_SUMMARY, itemKey, resultFile } from '../store/layout.ts';
import type { Service } from '../services/service.ts';
import { shownService } from '../services/registry.ts';
import type { PreparedCampaign } from '../store/prepared-campaign.ts';
import type { ItemRecord } from '../store/item-record.ts';
import type { Store } from '../store/store.ts';
import { campaignItems } from './campaign-items.ts';
import type { Entity } from './crate-files.ts';
import type { CampaignSummary } from './campaign-summary.ts';
import { engineVersion } from './tables/engine-version.ts';

export function toolEntity({ versions }: CampaignSummary): Entity {
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

function softwareOf(service: ServiceName): NonNullable<Service['software']> {
  const { software, title, terms } = shownService(service);
  return software ?? { name: title, url: terms };
}

/** A longer text is not a version number, and would be repeated in every job. */
const VERSION_LENGTH = 16;

/** The version of the engine that a job reports, if it can be part of an entity's id. */
export function crateVersion(record: ItemRecord): string | null {
  const version = engineVersion(record);
  return version === null || version.length > VERSION_LENGTH ? null : version;
}

/** The engine of one service in the version reported for a job. */
export function engineEntity(service: ServiceName, version: string): Entity {
  const { name, url, citation } = softwareOf(service);
  const type = 'SoftwareApplication';
  return { '@id': `#${service}-${version}`, '@type': type, name, version, url, citation };
}

/** A service may change its engine between jobs: the version is that of the first result that reports one. */
export async function enginesOf(
  store: Store,
  campaign: PreparedCampaign,
  { settings }: CampaignSummary,
  services: readonly ServiceName[],
): Promise<readonly Entity[]> {
  const versions = await engineVersions(store, campaign, services);
  return services.map((service) => {
    const { name, url, citation } = softwareOf(service);
    const address = addressOf(settings, service);
    const where = address === null ? '' : ` at ${address}`;
    return {
      '@id': `#${service}`,
      '@type': 'SoftwareApplication',
      name,
      url,
      citation,
      version: versions.get(service) ?? 'not stated by the results',
      description: `Computed the results${where}. The version is that of the first result; each result states its own.`,
    };
  });
}

/** Maximum number of results that are searched for a version. */
const LOOKED_AT = 20;

async function engineVersions(
  store: Store,
  campaign: PreparedCampaign,
  services: readonly ServiceName[],
): Promise<ReadonlyMap<ServiceName, string>> {
  const versions = new Map<ServiceName, string>();
  const looks = new Map(services.map((service) => [service, LOOKED_AT]));
  for await (const { record } of campaignItems(store, campaign)) {
    if (record?.state !== 'succeeded') continue;
    const left = looks.get(record.service) ?? 0;
    if (left === 0) continue;
    const { version } = softwareOf(record.service);
    const file = itemKey(record.kind, record.id, resultFile(record.kind));
    const [, found] = version?.exec((await store.readText(file)) ?? '') ?? [];
    if (found !== undefined) versions.set(record.service, found);
    looks.set(record.service, found === undefined ? left - 1 : 0);
    if ([...looks.values()].every((one) => one === 0)) break;
  }
  return versions;
}

function addressOf(settings: CampaignSummary['settings'], service: ServiceName): string | null {
  const services = settings['services'] as
    Readonly<Record<string, { readonly url?: unknown } | undefined>> | undefined;
  const url = services?.[service]?.url;
  return typeof url === 'string' ? url : null;
}

/** They are outside the tree: described by their original name and their digest. */
export function manifestEntities({ manifestDigests }: CampaignSummary): readonly Entity[] {
  return manifestDigests.map(({ file, sha256 }, at) => ({
    '@id': `#manifest-${at + 1}`,
    '@type': 'CreativeWork',
    name: file,
    description: `A manifest of the campaign; no part of this tree. Its SHA-256 is ${sha256}.`,
    identifier: `sha256:${sha256}`,
  }));
}
