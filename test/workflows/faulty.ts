/** A rig for one test of a fault, with a proxy in front of the local services if the test needs one. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { readBudget, readSnapshot } from '../../src/activities/budget-status.ts';
import type { BudgetStatus } from '../../src/budget/status.ts';
import type { ServiceName } from '../../src/domain/item.ts';
import { budgetWorkflowId } from '../../src/workflows/names.ts';
import { itemsTable } from '../promises.ts';
import { Rig, type Ran, type RigOptions } from '../rig.ts';
import { GoBetween } from './go-between.ts';

type Settings = Rig['settings'][number];

/** Opens a rig that is closed at the end of the test. */
export async function openRig(options: RigOptions = {}): Promise<Rig> {
  const rig = await Rig.open({ engine: 'synthetic', jobMs: 20, concurrency: 0, ...options });
  onTestFinished(() => rig.close());
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
  change: (one: Settings) => Settings = (one) => one,
): Promise<{ rig: Rig; between: GoBetween }> {
  const rig = await openRig(options);
  const between = await GoBetween.open(rig.services.url);
  onTestFinished(() => between.close());
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

/** The outcomes of an item's attempts to be submitted, in their order. */
export async function outcomes(ran: Ran, id: string): Promise<string[]> {
  const { path = '' } = await rowOf(ran, id);
  const text = await readFile(join(ran.folder, path, 'item.json'), 'utf8');
  return (JSON.parse(text) as { attempts: { outcome: string }[] }).attempts.map(
    ({ outcome }) => outcome,
  );
}

/**
 * The same without those that were not sent because the service had just failed another one, which depends on timing.
 */
export async function answered(ran: Ran, id: string): Promise<string[]> {
  return (await outcomes(ran, id)).filter((one) => one !== 'unreachable');
}

/** Until the budget of the predictions sends nothing more of a campaign that has paused. */
export async function untilPaused(rig: Rig, campaign: string): Promise<void> {
  const id = budgetWorkflowId(settingsOf(rig, 'predictions').reference);
  const isPaused = async () => {
    const { paused = [], outstanding = [] } = (await readSnapshot(rig.client, id)) ?? {};
    return paused.includes(campaign) && outstanding.length === 0;
  };
  await vi.waitUntil(isPaused, { timeout: 60_000 });
}

export async function budgetOf(rig: Rig, service: ServiceName): Promise<BudgetStatus> {
  const status = await readBudget(rig.client, budgetWorkflowId(settingsOf(rig, service).reference));
  if (!status) throw new Error(`the budget of ${service} has written no status`);
  return status;
}

function settingsOf(rig: Rig, service: ServiceName): Settings {
  const settings = rig.settings.find(({ reference }) => reference.service === service);
  if (!settings) throw new Error(`no service ${service}`);
  return settings;
}
