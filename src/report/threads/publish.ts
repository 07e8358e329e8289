/** The thread that publishes a campaign; another one makes the result tables meanwhile. */
import { openFileStore } from '../../store/filesystem.ts';
import type { CampaignEnd } from '../campaign-summary.ts';
import { publishCampaign } from '../publish.ts';
import { answerCall } from './answer.ts';
import { callThread } from './call.ts';
import type { TablesWork } from './tables.ts';

export interface PublishWork {
  readonly folder: string;
  readonly end: CampaignEnd;
}

const TABLES = new URL('./tables.ts', import.meta.url);

await answerCall(async (work, { heartbeat }) => {
  const { folder, end } = work as PublishWork;
  const store = await openFileStore(folder, { blocking: true });
  return publishCampaign(store, end, {
    heartbeat,
    makeTables: async (_, campaign, own, options) => {
      await callThread(TABLES, { folder, campaign, own } satisfies TablesWork, options);
    },
  });
});
