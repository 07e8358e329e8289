/** `node publish-measured.ts ADDRESS`: publishes a finished tree, alone in a process, and prints its cost as JSON. */
import { STARTED_AT } from './finished-tree/ending.ts';
import { type PublishProgress, publishCampaign } from '../src/report/publish.ts';
import { openStore, setObjectStoreAccess } from '../src/store/open-store.ts';

const { HUNDREDFOLD_STORE_ENDPOINT: endpoint } = process.env;
if (endpoint !== undefined) setObjectStoreAccess({ endpoint });
const endedAt = new Date(Date.parse(STARTED_AT) + 50 * 3_600_000).toISOString();
/** When each step was first reported, in ms. */
const begun = new Map<PublishProgress['step'], number>();
const started = performance.now();
const { items } = await publishCampaign(
  await openStore(process.argv[2] ?? ''),
  { state: 'completed', startedAt: STARTED_AT, endedAt, versions: { hundredfold: '0.0.0-bench' } },
  {
    heartbeat: ({ step }) => {
      if (!begun.has(step)) begun.set(step, performance.now());
    },
  },
);
const at = (step: PublishProgress['step']): number => begun.get(step) ?? started;
process.stdout.write(
  JSON.stringify({
    items: items.total,
    seconds: (at('checksums') - at('items')) / 1_000,
    wholeSeconds: (performance.now() - started) / 1_000,
    cpuSeconds: (process.cpuUsage().user + process.cpuUsage().system) / 1e6,
    peakMegabytes: Math.round(process.resourceUsage().maxRSS / 1_024),
  }),
);
