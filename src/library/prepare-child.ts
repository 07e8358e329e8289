/** The activity that prepares a campaign for a child workflow: what `startOrJoin` does, except the start. */
import { tmpdir } from 'node:os';
import { ApplicationFailure } from '@temporalio/common';
import { beforeLaunch, childOf, type Launch } from '../campaigns/launch.ts';
import { campaignStart } from '../campaigns/run.ts';
import { startOrJoin } from '../campaigns/start.ts';
import type { Settings } from '../config/settings.ts';
import type { Environment } from '../domain/environment.ts';
import { codedError, HundredfoldError } from '../domain/errors.ts';
import { seedLedger } from '../host/seed-ledger.ts';
import type { Session } from '../host/session.ts';
import { Spool } from '../plan/spool.ts';
import { openStore } from '../store/open-store.ts';
import { StoreError } from '../store/store-error.ts';
import type { PreparedCampaign } from './child-campaign.ts';
import { checkedRows, type RowOptions } from './checked-rows.ts';
import { resultIn } from './result.ts';

interface PreparingWith {
  readonly session: Session;
  readonly settings: Settings;
  readonly environment: Environment;
}

/** Retries only errors that may pass with time. */
export async function prepareChild(
  around: PreparingWith,
  manifests: readonly string[],
  options: RowOptions,
): Promise<PreparedCampaign> {
  const spool = new Spool(tmpdir());
  try {
    return await prepared(around, manifests, options, spool);
  } catch (error) {
    if (!(error instanceof HundredfoldError)) throw error;
    const { code, message, remedy } = error;
    const nonRetryable = !(error instanceof StoreError && error.retryable);
    throw ApplicationFailure.create({
      type: code,
      message: `${message}. ${remedy}`,
      nonRetryable,
      cause: error,
    });
  } finally {
    spool.remove();
  }
}

async function prepared(
  { session, settings, environment }: PreparingWith,
  manifests: readonly string[],
  options: RowOptions,
  spool: Spool,
): Promise<PreparedCampaign> {
  const intake = await checkedRows(manifests, options, settings, spool);
  const start = { ...campaignStart(intake, spool, settings, options), embeddedDir: null };
  const { name, folder, feeds } = start;
  await seedLedger(await openStore(folder), { settings, environment, feeds });
  const launches: Launch[] = [];
  const { joined } = await startOrJoin(session, start, async (at, launch) => {
    await beforeLaunch(at, launch);
    launches.push(launch);
  });
  if (joined) throw isRunning(name);
  const [launch] = launches;
  if (launch !== undefined) {
    return { name, out: folder, total: launch.spec.items, child: childOf(launch), ended: null };
  }
  const { items } = await resultIn(folder);
  const { succeeded, failed, held, cancelled, invalid, total } = items;
  const ended = { succeeded, failed, held, cancelled, invalid };
  return { name, out: folder, total, child: null, ended };
}

function isRunning(name: string): HundredfoldError {
  return codedError('CAMPAIGN_RUNNING', { case: 'child', name });
}
