/** The thread that publishes a campaign; others make the parts of its results. */
import type { ObjectStoreAccess } from '../../domain/object-store.ts';
import { openStore, reachObjectStores } from '../../store/open-store.ts';
import type { CampaignEnd } from '../campaign-summary.ts';
import { auditKeeper } from '../kept-audit.ts';
import { partsKeeper } from '../kept-parts.ts';
import { publishCampaign } from '../publish.ts';
import { answerCall } from './answer.ts';
import { openMakers } from './makers.ts';

/** A few seconds of work. */
const ITEMS_OF_PART = 250;

export interface PublishWork {
  readonly folder: string;
  readonly access: ObjectStoreAccess;
  readonly end: CampaignEnd;
  readonly substructure: boolean;
}

await answerCall(async (work, { heartbeat }) => {
  const { folder, access, end, substructure } = work as PublishWork;
  reachObjectStores(access);
  const store = await openStore(folder, { blocking: true });
  const maker = openMakers(folder);
  try {
    const program = `${end.versions['hundredfold'] ?? ''} ${process.version}`;
    const keeper = partsKeeper(store, { program, mostItems: ITEMS_OF_PART });
    const audits = auditKeeper(store);
    return await publishCampaign(store, end, { heartbeat, maker, keeper, audits, substructure });
  } finally {
    await maker.close();
  }
});
