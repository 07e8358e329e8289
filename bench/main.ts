/** `npm run bench [-- start|window|throughput]`: the figures of docs/benchmarks.md, measured anew. */
import { cpus, totalmem } from 'node:os';
import { start } from './start.ts';
import { throughput } from './throughput.ts';
import { window } from './window.ts';

const CASES: Readonly<Record<string, () => Promise<string>>> = {
  start,
  window: () => window({ items: 100, limit: 20, windowSeconds: 10, jobSeconds: 1.5 }),
  throughput: () => throughput(600),
};

const [machine] = cpus();
console.log(
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} x ${machine?.model.trim()}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`,
);
const wanted = process.argv.slice(2);
for (const [name, measure] of Object.entries(CASES)) {
  if (wanted.length === 0 || wanted.includes(name)) console.log(`${name}: ${await measure()}`);
}
