/**
 * Copies the output tree of a campaign from ./results to the store of hundredfold.yaml, or back.
 *
 *   node examples/library/copy-tree.ts push NAME
 *   node examples/library/copy-tree.ts pull NAME [ID…]
 */
import { pull, push } from 'hundredfold';

const [direction = 'pull', name = 'demo', ...items] = process.argv.slice(2);

const copy =
  direction === 'push' ? await push(name) : await pull(name, items.length > 0 ? { items } : {});
console.log(`${copy.copied} of ${copy.files} files copied to ${copy.to}`);
for (const fault of copy.faults) console.log(`damaged: ${fault}`);
