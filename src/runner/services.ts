/** Which services the jobs of a campaign go to, and whether they are at their addresses. */
import { type NetworkSettings, revealNetwork } from '../config/network.ts';
import type { ServiceSettings, UnreadyService } from '../config/services.ts';
import type { Settings } from '../config/settings.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { ServiceName } from '../domain/campaign.ts';
import { type LocalName, findLocalName, createLocalSettings } from '../temporal/host/local.ts';
import { createHttp } from '../services/http.ts';
import { recognise, type Recognition } from '../services/recognise.ts';
import { listServiceNames, findService } from '../services/registry.ts';
import type { OnNotice } from './session.ts';

interface Choice {
  /** Services of this project that come first. */
  readonly local: LocalName | null;
  /** Required services. */
  readonly needed: ReadonlySet<ServiceName>;
  /** Services that are used if they are configured. */
  readonly optional?: ReadonlySet<string>;
  /** Who needs them, for people: `the manifest`. */
  readonly who: string;
}

/** @throws HundredfoldError `CONFIG_NO_SERVICE`, `CONFIG_INVALID` */
export function chooseServices(settings: Settings, choice: Choice): readonly ServiceSettings[] {
  const { needed, optional = new Set<string>(), who } = choice;
  const local = choice.local ? requireLocalServices(settings, choice.local) : [];
  const known = (name: ServiceName) =>
    local.find(({ reference }) => reference.service === name) ?? settings.services[name];
  const missing = [...needed].filter((name) => !known(name));
  if (missing.length > 0) throw createNoServiceError(missing, who);
  const names = listServiceNames().filter((name) => needed.has(name) || optional.has(name));
  const lanes = choice.local ? [] : settings.lanes;
  return names.flatMap((name) => [
    ...[known(name) ?? []].flat(),
    ...lanes.filter(({ reference }) => reference.service === name),
  ]);
}

function requireLocalServices({ temporal }: Settings, name: LocalName): ServiceSettings[] {
  if (!temporal) return createLocalSettings(name);
  throw new HundredfoldError(
    'CONFIG_INVALID',
    `--services ${name} needs the embedded server, and temporal.address is ${temporal.address}`,
    'Omit temporal.address, or start `hundredfold services` and configure its addresses under services:.',
  );
}

function formatExample(service: ServiceName): string {
  const { url, secrets } = findService(service);
  const path = URL.parse(url.example ?? '')?.pathname ?? '/';
  const parts = [
    ...(url.default === undefined ? [`url: https://HOST${path.replace(/\/$/, '')}`] : []),
    ...Object.entries(secrets).map(([key, { env }]) => `${key}: { env: ${env} }`),
  ];
  return `${service}: { ${parts.join(', ')} }`;
}

/** Shows both ways to continue. */
function createNoServiceError(missing: readonly ServiceName[], who: string): HundredfoldError {
  const noun = missing.length === 1 ? 'service' : 'services';
  const names = missing.map((name) => `"${name}"`).join(' and ');
  return new HundredfoldError(
    'CONFIG_NO_SERVICE',
    `${who} needs the ${noun} ${names}, and none is configured`,
    [
      'To try it out on this machine: add --services local (recorded results, for the examples only)',
      '  or --services synthetic (made-up results of the right form, for any input).',
      '  To use the real ones, write a hundredfold.yaml (docs/configuration.md says more):',
      '    services:',
      ...missing.map((name) => `      ${formatExample(name)}`),
    ].join('\n'),
  );
}

/** Milliseconds for all looks at one service, and for one of its answers. */
const TIMEOUT_MS = 15_000;
const ANSWER_MS = 5_000;

type Site = ServiceSettings | UnreadyService;

export async function recogniseService(site: Site, network: NetworkSettings): Promise<Recognition> {
  const { url, config, reference } = site;
  const secrets = 'secrets' in site ? Object.values(site.secrets).map((one) => one.reveal()) : [];
  const { service } = reference;
  const options = { deadlineMs: ANSWER_MS, network: revealNetwork(network) };
  const http = createHttp({ service, secrets, ...options });
  try {
    return await recognise(http, { service, config, url }, AbortSignal.timeout(TIMEOUT_MS));
  } finally {
    await http.close();
  }
}

/** What to write instead of an address that is wrong. */
export function chooseRemedy(
  { reference: { service } }: Site,
  { better }: Extract<Recognition, { type: 'wrong' }>,
): string {
  const key = `services.${service}.url`;
  if (better === null) {
    const { example } = findService(service).url;
    const like = example === undefined ? '' : `, such as ${example}`;
    return `Write at ${key} the address that the operators of the service gave you${like}.`;
  }
  const other = Object.entries(better.config).map(
    ([name, value]) => ` and services.${service}.${name}: ${String(value)}`,
  );
  return `Write ${key}: ${better.url}${other.join('')}.`;
}

/**
 * Throws SERVICE_URL_WRONG if another service answers at the address. A service that is down or refuses access is not an
 * error: the campaign waits for it. Nor is a wrong answer if the campaign `resumes`: its jobs were accepted there before.
 */
export async function checkServices(
  feeds: readonly ServiceSettings[],
  { resumes, onNotice }: { readonly resumes: boolean; readonly onNotice: OnNotice },
): Promise<void> {
  const remote = feeds.filter(({ reference }) => findLocalName(reference.address) === null);
  const seen = await Promise.all(
    remote.map(async (feed) => ({ feed, found: await recogniseService(feed, feed.network) })),
  );
  for (const { feed, found } of seen) {
    if (found.type === 'right') continue;
    const { service } = feed.reference;
    if (found.type === 'wrong' && !resumes) throw createWrongUrlError(feed, found);
    onNotice(`${service}: ${found.message}.`);
    const hint = found.type === 'wrong' ? ` ${chooseRemedy(feed, found)}` : '';
    onNotice(`  The campaign waits until the service works.${hint}`);
  }
}

function createWrongUrlError(
  feed: ServiceSettings,
  found: Extract<Recognition, { type: 'wrong' }>,
): HundredfoldError {
  return new HundredfoldError(
    'SERVICE_URL_WRONG',
    `services.${feed.reference.service}.url: ${found.message}; nothing was submitted`,
    chooseRemedy(feed, found),
  );
}
