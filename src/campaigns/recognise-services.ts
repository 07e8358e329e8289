/** Checks that the services of a campaign are at their addresses, before anything is prepared or submitted. */
import { revealNetwork, type NetworkSettings } from '../config/network.ts';
import type { ServiceSettings, UnreadyService } from '../config/services.ts';
import { codedError, type HundredfoldError } from '../domain/errors.ts';
import { localNameOf } from '../host/local-settings.ts';
import { createHttp } from '../services/http.ts';
import { recognise, type Recognition } from '../services/recognise.ts';
import type { OnNotice } from './notice.ts';

/** Milliseconds for all looks at one service, and for one of its answers. */
const PATIENCE_MS = 15_000;
const ANSWER_MS = 5_000;

type Site = ServiceSettings | UnreadyService;

export async function recogniseService(site: Site, network: NetworkSettings): Promise<Recognition> {
  const { url, config, reference } = site;
  const secrets = 'secrets' in site ? Object.values(site.secrets).map((one) => one.reveal()) : [];
  const { service } = reference;
  const options = { deadlineMs: ANSWER_MS, network: revealNetwork(network) };
  const http = createHttp({ service, secrets, ...options });
  try {
    return await recognise(http, { service, config, url }, AbortSignal.timeout(PATIENCE_MS));
  } finally {
    await http.close();
  }
}

/** What to write instead of an address that is wrong. */
export function remedyOf(
  { reference: { service } }: Site,
  { better }: Extract<Recognition, { type: 'wrong' }>,
): string {
  const key = `services.${service}.url`;
  if (better === null) return `Check ${key}: docs/configuration.md says what it must be.`;
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
  const remote = feeds.filter(({ reference }) => localNameOf(reference.address) === null);
  const seen = await Promise.all(
    remote.map(async (feed) => ({ feed, found: await recogniseService(feed, feed.network) })),
  );
  for (const { feed, found } of seen) {
    if (found.type === 'right') continue;
    const { service } = feed.reference;
    if (found.type === 'wrong' && !resumes) throw wrong(feed, found);
    onNotice(`${service}: ${found.message}.`);
    const hint = found.type === 'wrong' ? ` ${remedyOf(feed, found)}` : '';
    onNotice(`  The campaign waits until the service works.${hint}`);
  }
}

function wrong(
  feed: ServiceSettings,
  found: Extract<Recognition, { type: 'wrong' }>,
): HundredfoldError {
  return codedError('SERVICE_URL_WRONG', {
    service: feed.reference.service,
    found: found.message,
    hint: remedyOf(feed, found),
  });
}
