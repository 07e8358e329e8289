/** A rig for one test of a fault, with a proxy in front of the local services if the test needs one. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { onTestFinished, vi, type TestContext } from 'vitest';
import { readBudget, readSnapshot } from '../../src/activities/budget-run.ts';
import type { BudgetStatus } from '../../src/budget/status.ts';
import type { ServiceName } from '../../src/domain/campaign.ts';
import type { JournalEntry } from '../../packages/local-services/src/journal.ts';
import { openFileStore } from '../../src/store/file-store.ts';
import { readItem } from '../../src/store/item-store.ts';
import { buildBudgetWorkflowId } from '../../src/workflows/names.ts';
import { itemsTable } from '../promises.ts';
import { Rig, type Ran, type RigOptions, type Started } from '../rig.ts';
import { GoBetween } from './go-between.ts';

type Settings = Rig['settings'][number];

/** Concurrent tests pass their context. */
type Ending = Pick<TestContext, 'onTestFinished'>;

/** Opens a rig that is closed at the end of the test. */
export async function openRig(
  options: RigOptions = {},
  ending: Ending = { onTestFinished },
): Promise<Rig> {
  const rig = await Rig.open({ engine: 'synthetic', jobMs: 20, concurrency: 0, ...options });
  ending.onTestFinished(() => rig.close());
  return rig;
}

/** Restarts the worker with other settings of the services. */
export async function reconnect(rig: Rig, change: (one: Settings) => Settings): Promise<void> {
  await rig.stopWorker();
  await rig.startWorker(rig.settings.map(change));
}

/** The same, with a proxy in front of both services. */
export async function openWithGoBetween(
  options: RigOptions = {},
  ending: Ending = { onTestFinished },
  change: (one: Settings) => Settings = (one) => one,
): Promise<{ rig: Rig; between: GoBetween }> {
  const rig = await openRig(options, ending);
  const between = await GoBetween.open(rig.services.url);
  ending.onTestFinished(() => between.close());
  await reconnect(rig, (one) => ({
    ...change(one),
    url: one.url.replace(rig.services.url, between.url),
  }));
  return { rig, between };
}

type ItemRow = Record<string, string>;

/** The row of items.csv of an item. */
export async function rowOf({ folder }: Ran, id: string): Promise<ItemRow> {
  const row = (await itemsTable(folder)).find((one) => one['id'] === id);
  if (!row) throw new Error(`items.csv has no row of ${id}`);
  return row;
}

/** How many items ended with each code; '' is success. */
export async function codes({ folder }: Ran): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { error_code: code = '' } of await itemsTable(folder)) {
    counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
}

export async function jsonOf<T = Record<string, unknown>>(
  folder: string,
  path: string,
): Promise<T> {
  return JSON.parse(await readFile(join(folder, path), 'utf8')) as T;
}

/** The item.json of an item. */
export async function recordOf<T = Record<string, unknown>>(ran: Ran, id: string): Promise<T> {
  const { path = '' } = await rowOf(ran, id);
  return jsonOf<T>(ran.folder, join(path, 'item.json'));
}

/** The outcomes of an item's attempts to be submitted, in their order. */
export async function outcomes(ran: Ran, id: string): Promise<string[]> {
  const { attempts } = await recordOf<{ attempts: { outcome: string }[] }>(ran, id);
  return attempts.map(({ outcome }) => outcome);
}

/**
 * The same without those that were not sent because the service had just failed another one, which depends on timing.
 */
export async function answered(ran: Ran, id: string): Promise<string[]> {
  return (await outcomes(ran, id)).filter((one) => one !== 'unreachable');
}

/** The complete histories of a campaign, its items and the budgets, with decoded payloads. */
export async function histories(rig: Rig, campaign: string): Promise<Record<string, string>> {
  const budgets = rig.settings.map(({ reference }) => buildBudgetWorkflowId(reference));
  const query = [`Campaign="${campaign}"`, ...budgets.map((id) => `WorkflowId="${id}"`)].join(
    ' OR ',
  );
  const texts: Record<string, string> = {};
  for await (const { workflowId, runId } of rig.client.workflow.list({ query })) {
    const history = await rig.client.workflow.getHandle(workflowId, runId).fetchHistory();
    const json = JSON.stringify(historyToJSON(history));
    texts[workflowId] = json.replace(/"data":"([^"]*)"/g, (all, data: string) =>
      all.concat(Buffer.from(data, 'base64').toString()),
    );
  }
  return texts;
}

export const accepted = (rig: Rig): JournalEntry[] =>
  rig.services.journal().filter((entry) => entry.accepted);

/** `expect.poll` does not know its test in concurrent ones. */
export async function until(isSo: () => unknown, timeout = 120_000): Promise<void> {
  await vi.waitUntil(isSo, { timeout, interval: 100 });
}

/** Until each row of a campaign has a job, and its record tells of it. */
export async function untilSent({ folder, ids }: Started): Promise<void> {
  const store = await openFileStore(folder);
  const isSent = async (id: string) => {
    const kind = id.startsWith('mol') ? 'molecule' : 'sequence';
    return Boolean((await readItem(store, kind, id))?.remoteId);
  };
  await until(async () => (await Promise.all(ids.map(isSent))).every(Boolean));
}

/** Until the budget of the predictions sends nothing more of a campaign that has paused. */
export async function untilPaused(rig: Rig, campaign: string): Promise<void> {
  const id = buildBudgetWorkflowId(settingsOf(rig, 'predictions').reference);
  const isPaused = async () => {
    const { paused = [], outstanding = [] } = (await readSnapshot(rig.client, id)) ?? {};
    return paused.includes(campaign) && outstanding.length === 0;
  };
  await vi.waitUntil(isPaused, { timeout: 60_000 });
}

export async function budgetOf(rig: Rig, service: ServiceName): Promise<BudgetStatus> {
  const status = await readBudget(
    rig.client,
    buildBudgetWorkflowId(settingsOf(rig, service).reference),
  );
  if (!status) throw new Error(`the budget of ${service} has written no status`);
  return status;
}

export function settingsOf(rig: Rig, service: ServiceName): Settings {
  const settings = rig.settings.find(({ reference }) => reference.service === service);
  if (!settings) throw new Error(`no service ${service}`);
  return settings;
}
