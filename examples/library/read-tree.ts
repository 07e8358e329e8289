/**
 * Reads the output tree of a campaign: items, files with their checks, tables.
 *
 *   node examples/library/read-tree.ts results/demo
 *   node examples/library/read-tree.ts s3://bucket/results/demo
 */
import { openTree } from 'hundredfold';

const tree = await openTree(process.argv[2] ?? 'results/demo');

for await (const item of tree.items()) {
  console.log(`${item.id}: ${item.state}${item.code ? ` (${item.code})` : ''}`);
  for (const file of item.files) {
    // Compares the file with the digest that was taken when it was received.
    const data = await file.read();
    console.log(`  ${file.name}: ${data.byteLength} bytes, SHA-256 ${file.sha256.slice(0, 12)}`);
  }
}

console.log(`Residues: ${tree.tables['residues.parquet'] ?? ''}`);
const { faults } = await tree.verify();
if (faults.length === 0) console.log('The tree is whole.');
for (const { message } of faults) console.log(message);
