/**
 * Fetches prediction jobs that were submitted by other means.
 *
 *   node examples/library/adopt-jobs.ts ID…
 */
import { adopt } from 'hundredfold';

await using campaign = await adopt('predictions', process.argv.slice(2));
const { items } = await campaign.result();
console.log(`${campaign.name}: ${items.succeeded} of ${items.total} results fetched`);
