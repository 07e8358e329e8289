/**
 * Follows a campaign that another process has started, for at most a minute.
 *
 *   node examples/library/watch-campaign.ts NAME
 */
import { watch } from 'hundredfold';

const name = process.argv[2] ?? 'demo';

for await (const event of watch(name, { signal: AbortSignal.timeout(60_000) })) {
  switch (event.type) {
    case 'progress': {
      const { state, ended, total } = event.progress;
      const done = Object.values(ended).reduce((sum, items) => sum + items, 0);
      console.log(`${state}: ${done} of ${total} items are done`);
      for (const { service, windows } of event.budgets)
        for (const { charged, limit } of windows)
          console.log(`  ${service}: ${charged} of ${limit} slots are charged`);
      if (event.obstacle !== null) console.log(`  ${event.obstacle}`);
      break;
    }
    case 'ended':
      console.log(`${name} ended: ${event.result.state}`);
      break;
    case 'item':
    case 'notice':
    case 'unreachable':
      break;
  }
}
