/** `node publish-measured.ts ADDRESS`: publishes a finished tree, alone in a process, and prints its cost as JSON. */
import { STARTED_AT } from './finished-tree/ending.ts';
import type { PublishProgress } from '../src/report/progress.ts';
import { publishTree } from '../src/report/publish-tree.ts';
import { reachObjectStores } from '../src/store/open-store.ts';

const { HUNDREDFOLD_STORE_ENDPOINT: endpoint } = process.env;
if (endpoint !== undefined) reachObjectStores({ endpoint });
const endedAt = new Date(Date.parse(STARTED_AT) + 50 * 3_600_000).toISOString();
interface Moment {
  /** In ms. */
  readonly at: number;
  /** Of all threads since the start of the process. */
  readonly cpuSeconds: number;
}

/** When each step was first reported. */
const begun = new Map<PublishProgress['step'], Moment>();
const started = now();
const { items } = await publishTree(
  process.argv[2] ?? '',
  { state: 'completed', startedAt: STARTED_AT, endedAt, versions: { hundredfold: '0.0.0-bench' } },
  {
    heartbeat: ({ step }) => {
      if (!begun.has(step)) begun.set(step, now());
    },
  },
);
const of = (step: PublishProgress['step']): Moment => begun.get(step) ?? started;
const ended = now();
process.stdout.write(
  JSON.stringify({
    items: items.total,
    // Between the audit, which compares every file with its digest, and the crate and the checksums.
    seconds: (of('crate').at - of('results').at) / 1_000,
    wholeSeconds: (ended.at - started.at) / 1_000,
    cpuSeconds: ended.cpuSeconds,
    cpuSecondsOf: {
      audit: of('results').cpuSeconds - started.cpuSeconds,
      tablesAndReport: of('crate').cpuSeconds - of('results').cpuSeconds,
      crate: of('checksums').cpuSeconds - of('crate').cpuSeconds,
      checksums: ended.cpuSeconds - of('checksums').cpuSeconds,
    },
    peakMegabytes: Math.round(process.resourceUsage().maxRSS / 1_024),
  }),
);

function now(): Moment {
  const { user, system } = process.cpuUsage();
  return { at: performance.now(), cpuSeconds: (user + system) / 1e6 };
}
