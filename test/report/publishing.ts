/** `node publishing.ts FOLDER`: publishes a finished tree and keeps parts of it, until this process is killed. */
import { partsKeeper } from '../../src/report/kept-parts.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import { openStore } from '../../src/store/open-store.ts';
import { END } from './a-campaign.ts';

const store = await openStore(process.argv[2] ?? '');
const keeper = partsKeeper(store, { program: 'test', mostItems: 20 });
await publishCampaign(store, END, { keeper });
