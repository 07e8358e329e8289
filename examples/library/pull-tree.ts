/**
 * Copies the output tree of a campaign from the store of hundredfold.yaml to ./results.
 *
 *   node examples/library/pull-tree.ts NAME [ID…]
 */
import { pull } from 'hundredfold';

const [name = 'demo', ...items] = process.argv.slice(2);

const copy = await pull(
  name,
  items.length > 0 ? { selection: ({ id }) => items.includes(id) } : {},
);
console.log(`${copy.copied} of ${copy.files} files copied to ${copy.to}`);
for (const fault of copy.faults) console.log(`damaged: ${fault}`);
