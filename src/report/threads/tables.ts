/** The thread that makes the result tables. */
import { openFileStore } from '../../store/filesystem.ts';
import type { PreparedCampaign } from '../../store/prepared-campaign.ts';
import { makeResultTables, type OwnColumnsByKind } from '../tables/result-tables.ts';
import { answerCall } from './answer.ts';

export interface TablesWork {
  readonly folder: string;
  readonly campaign: PreparedCampaign;
  readonly own: OwnColumnsByKind;
}

await answerCall(async (work, { heartbeat }) => {
  const { folder, campaign, own } = work as TablesWork;
  const store = await openFileStore(folder, { blocking: true });
  await makeResultTables(store, campaign, own, { heartbeat });
});
