/**
 * Fetches prediction jobs that were submitted by other means: those with the given ids, or all that the service lists.
 *
 *   node examples/library/adopt-jobs.ts [ID…]
 */
import { adopt } from 'hundredfold';

const ids = process.argv.slice(2);

await using campaign = await adopt('predictions', ids.length > 0 ? ids : 'past');
if (campaign === null) console.log('There is nothing to adopt.');
else {
  const { items } = await campaign.result();
  console.log(`${campaign.name}: ${items.succeeded} of ${items.total} results fetched`);
}
