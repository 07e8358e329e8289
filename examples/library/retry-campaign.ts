/**
 * Runs the failed items of a campaign again, or the items that are named.
 *
 *   node examples/library/retry-campaign.ts NAME [ID…]
 */
import { retry } from 'hundredfold';

const [name = 'demo', ...items] = process.argv.slice(2);

await using campaign = await retry(name, items.length > 0 ? { items } : { failed: true });
const { items: counts, out } = await campaign.result();
console.log(`${counts.succeeded} of ${counts.total} succeeded: ${out}`);
