/**
 * The figures of docs/benchmarks.md, measured by `npm run bench [-- start|window|throughput|live-view|items|idle-slots|idle-night|open-jobs]`, and
 * `npm run bench:budget [-- --seed S ten-seconds|recovery|minute|worker-kills|server-kills|two-campaigns]`, and
 * `npm run bench:manifest [-- smiles|rows|answer-key]`, `npm run bench:engines [-- molecules|proteins]`, and
 * `npm run bench:manners [-- 10|100|1000]`, `npm run bench:load`, and
 * `npm run bench:cluster [-- credentials|waiting|cost|rate|grants|recovery]`, `npm run bench -- object-store [items|publication]`,
 * `npm run bench:cost [-- ITEMS …]`, `npm run bench -- large [ROWS …]`, `npm run bench -- grants`, and `npm run bench -- install`. `npm run bench:peers` is peers/main.ts.
 */
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { budgetCases } from './budget.ts';
import { cost } from './cost.ts';
import { install } from './install.ts';
import { itemsOfTree } from './items.ts';
import { clusterCases } from './cluster.ts';
import { large } from './large.ts';
import { liveView } from './live-view.ts';
import { engineCases } from './engines.ts';
import { load } from './load.ts';
import { manifestCases } from './manifest.ts';
import { mannersCases } from './manners.ts';
import { objectStoreCases } from './object-store.ts';
import { grants } from './grants.ts';
import { idleNight, openJobs } from './idle-night.ts';
import { idleSlots } from './idle-slots.ts';
import { postgresCases } from './postgres.ts';
import { proteinCases } from './proteins.ts';
import { sizeOf } from './sizes.ts';
import { start } from './start.ts';
import { throughput } from './throughput.ts';
import { window } from './window.ts';

const CASES: Readonly<Record<string, () => Promise<string>>> = {
  start,
  window: () => window({ items: 100, limit: 20, windowSeconds: 10, jobSeconds: 1.5 }),
  throughput: () => throughput(600),
  'live-view': () => liveView(10_000),
  items: () => itemsOfTree(10_000),
  'idle-slots': () => idleSlots(200),
  'idle-night': () => idleNight(200, 300),
  'open-jobs': () => openJobs(sizeOf('JOBS', 600), 120),
};

/** Of any number of items; the four of the documentation by default. */
const costCases = (named: readonly string[]): typeof CASES => {
  const sizes = named.length > 0 ? named : ['500', '3000', '10000', '30000'];
  return Object.fromEntries(sizes.map((items) => [items, () => cost(Number(items))]));
};

/** Of any number of rows; the million of the documentation by default. */
const largeCases = (sizes: readonly string[]): typeof CASES => {
  const jobs = sizeOf('JOBS', 20_000);
  const rows = sizes.length > 0 ? sizes : ['1000000'];
  return Object.fromEntries(rows.map((size) => [size, () => large(Number(size), jobs)]));
};

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string' } },
  allowPositionals: true,
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const [machine] = cpus();
console.log(
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} x ${machine?.model.trim()}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`,
);
const [group = ''] = positionals;
if (group === 'budget') console.log(`seed ${seed}`);
const groups = new Map<string, () => typeof CASES>([
  ['budget', () => budgetCases(seed)],
  ['manifest', () => manifestCases],
  ['engines', () => ({ ...engineCases, ...proteinCases })],
  ['manners', () => mannersCases],
  ['cluster', () => ({ ...clusterCases, ...postgresCases })],
  ['large', () => largeCases(positionals.slice(1))],
  ['cost', () => costCases(positionals.slice(1))],
  ['grants', () => ({ grants: () => grants(sizeOf('SECONDS', 600)) })],
  ['install', () => ({ install })],
  ['object-store', () => objectStoreCases],
  ['load', () => ({ load: () => load({ connections: 300, rate: 500, seconds: 20 }) })],
]);
const cases = groups.get(group)?.() ?? CASES;
const wanted = groups.has(group) ? positionals.slice(1) : positionals;
const unknown = wanted.filter((name) => !(name in cases));
if (unknown.length > 0)
  throw new Error(`no case ${unknown.join(', ')}; there are ${Object.keys(cases).join(', ')}`);
for (const [name, measure] of Object.entries(cases)) {
  if (wanted.length === 0 || wanted.includes(name)) console.log(`${name}: ${await measure()}`);
}
