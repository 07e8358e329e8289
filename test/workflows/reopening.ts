/** `hundredfold retry` without the command: ended items are reopened, and the campaign runs once more. */
import { openFileStore } from '../../src/store/file-store.ts';
import { prepareRetry, surveyRetry } from '../../src/store/reopen.ts';
import { readPreparedCampaign } from '../../src/store/prepared-campaign.ts';
import type { Ran, Rig, Started } from '../rig.ts';

/** Reopens all items that did not succeed, and starts the campaign. */
export async function reopened(
  rig: Rig,
  { folder, name }: Started,
  rows: readonly object[],
): Promise<Started> {
  const store = await openFileStore(folder);
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) throw new Error(`${folder} contains no campaign`);
  const survey = await surveyRetry(store, campaign, {});
  await prepareRetry(store, campaign, survey, new Date().toISOString());
  const started = await rig.start(rows, name);
  rig.allowJobs(...started.ids);
  return started;
}

export async function retried(rig: Rig, former: Started, rows: readonly object[]): Promise<Ran> {
  const started = await reopened(rig, former, rows);
  return { ...started, progress: await started.handle.result() };
}
