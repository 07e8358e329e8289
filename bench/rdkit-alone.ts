/** The time that RDKit alone needs for a library, in as many threads as the checks have, on the same cores. */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/** The maximum number in src/inputs/molecules/rdkit.ts. */
const MOST_THREADS = 4;

/** Only `get_mol` and `delete`, with the texts divided among the threads in advance. Returns s. */
export async function rdkitAlone(smiles: readonly string[]): Promise<number> {
  const count = Math.min(availableParallelism(), MOST_THREADS);
  const threads = Array.from({ length: count }, (_, thread) => {
    const workerData = smiles.filter((_text, n) => n % count === thread);
    return new Worker(RDKIT_ALONE, { eval: true, workerData });
  });
  const said = (): Promise<unknown> =>
    Promise.all(threads.map((thread) => once(thread, 'message')));
  await said();
  const startedAt = performance.now();
  for (const thread of threads) thread.postMessage('go');
  await said();
  const seconds = (performance.now() - startedAt) / 1_000;
  await Promise.all(threads.map((thread) => thread.terminate()));
  return seconds;
}

const RDKIT = JSON.stringify(fileURLToPath(import.meta.resolve('@rdkit/rdkit')));
const RDKIT_ALONE = `
const { parentPort, workerData } = require('node:worker_threads');
require(${RDKIT})().then((RDKit) => {
  const read = (smiles) => RDKit.get_mol(smiles).delete();
  workerData.slice(0, 512).forEach(read);
  parentPort.on('message', () => {
    workerData.forEach(read);
    parentPort.postMessage('done');
  });
  parentPort.postMessage('ready');
});`;
