/** The thread that publishes a campaign; others make the parts of its results. */
import { openFileStore } from '../../store/filesystem.ts';
import type { CampaignEnd } from '../campaign-summary.ts';
import { publishCampaign } from '../publish.ts';
import { answerCall } from './answer.ts';
import { openMakers } from './makers.ts';

export interface PublishWork {
  readonly folder: string;
  readonly end: CampaignEnd;
}

await answerCall(async (work, { heartbeat }) => {
  const { folder, end } = work as PublishWork;
  const store = await openFileStore(folder, { blocking: true });
  const maker = openMakers(folder);
  try {
    return await publishCampaign(store, end, { heartbeat, maker });
  } finally {
    await maker.close();
  }
});
