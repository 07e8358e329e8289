/** The plugins that a campaign has rows of, and whether this process has the same. */
import type { Kind } from '../domain/item.ts';
import { findSource } from '../kinds/registry.ts';
import { readPreparedCampaign, type PreparedCampaign } from './prepared-campaign.ts';
import type { Store } from './store.ts';
import { StoreError } from './store-error.ts';

/** Digits that distinguish digests by eye. */
const DIGEST_DIGITS = 12;

/**
 * For a worker: what a plugin reads and sends is what the campaign was begun with.
 * @throws StoreError `TREE_OTHER_PLUGIN`
 */
export async function checkPlugins(store: Store): Promise<void> {
  const campaign = await readPreparedCampaign(store);
  if (campaign !== null) refuse(store, campaign, (here, wanted) => here === wanted);
}

/**
 * For a command that prepares rows: one form is as good as another, because from then on the campaign has that of the
 * command.
 * @throws StoreError `TREE_OTHER_PLUGIN`
 */
export function requirePlugins(store: Store, campaign: PreparedCampaign): void {
  refuse(store, campaign, (here) => here !== null);
}

/** Whether rows of the campaign are of a plugin that was changed since they were prepared. */
export function hasOtherPlugins({ described = [] }: PreparedCampaign): boolean {
  return described.some(({ name, sha256 }) => findSource(name)?.sha256 !== sha256);
}

/**
 * Sentences about plugins that are new to a campaign, or have changed since its rows were prepared.
 * @param kinds that it has rows of now; default: those that it had
 */
export function listPluginNews(
  former: PreparedCampaign | null,
  kinds?: readonly Kind[],
): readonly string[] {
  const described = former?.described ?? [];
  const lines = (kinds ?? described.map(({ name }) => name)).flatMap((kind) => {
    const here = findSource(kind);
    const there = described.find(({ name }) => name === kind);
    if (here === null || here.sha256 === there?.sha256) return [];
    const now = here.sha256.slice(0, DIGEST_DIGITS);
    const what = there
      ? `has changed (sha256 ${there.sha256.slice(0, DIGEST_DIGITS)} → ${now}): what is still to be sent, polled or read is done by the new form.`
      : `is new here (sha256 ${now}).`;
    return [`plugin ${here.plugin} ${what}`];
  });
  return [...new Set(lines)];
}

function refuse(
  { location }: Store,
  { described = [] }: PreparedCampaign,
  isRight: (here: string | null, wanted: string) => boolean,
): void {
  for (const { name: kind, plugin, sha256 } of described) {
    const here = findSource(kind)?.sha256 ?? null;
    if (isRight(here, sha256)) continue;
    const [wanted, found] = [sha256.slice(0, DIGEST_DIGITS), here?.slice(0, DIGEST_DIGITS) ?? null];
    throw new StoreError(
      'TREE_OTHER_PLUGIN',
      `${location} has rows of the kind ${kind}, of the plugin ${plugin} (sha256 ${wanted}), and this process has ${found === null ? 'no plugin with it' : `another form of it (sha256 ${found})`}.`,
      'Name the plugin under plugins: in hundredfold.yaml, for commands and workers, and start them again. To go on with a plugin that you have changed, run the "hundredfold run" command of the campaign again.',
      { retryable: true },
    );
  }
}
