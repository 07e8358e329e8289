/**
 * The figures of docs/benchmarks.md: `npm run bench [-- start]`,
 * `npm run bench -- budget [--seed S ten-seconds|killed-once|killed-five-times|lanes|lanes-killed|minute|worker-kills|server-kills|two-campaigns]` and
 * `npm run bench -- cost [ITEMS …]`. `node bench/report.ts` is report.ts, `node bench/peers/main.ts` is peers/main.ts.
 */
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { budgetCases } from './budget.ts';
import { cost } from './cost.ts';
import { start } from './start.ts';
import { ensureTemporalCli } from '../src/temporal/cli.ts';

type Cases = Readonly<Record<string, () => Promise<string>>>;

const CASES: Cases = { start };

/** Of any number of items. */
function costCases(named: readonly string[]): Cases {
  const sizes = named.length > 0 ? named : ['500', '10000'];
  return Object.fromEntries(sizes.map((items) => [items, () => cost(Number(items))]));
}

// For the commands, which have homes of their own.
process.env['TEMPORAL_CLI'] = await ensureTemporalCli(console.log);
const { values, positionals } = parseArgs({
  options: { seed: { type: 'string' } },
  allowPositionals: true,
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const [machine] = cpus();
console.log(
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} x ${machine?.model.trim()}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`,
);
const [group = '', ...others] = positionals;
if (group === 'budget') console.log(`seed ${seed}`);
const groups = new Map([
  ['budget', () => budgetCases(seed)],
  ['cost', () => costCases(others)],
]);
const cases = groups.get(group)?.() ?? CASES;
const wanted = groups.has(group) ? others : positionals;
const unknown = wanted.filter((name) => !(name in cases));
if (unknown.length > 0)
  throw new Error(`no case ${unknown.join(', ')}; there are ${Object.keys(cases).join(', ')}`);
for (const [name, measure] of Object.entries(cases)) {
  if (wanted.length === 0 || wanted.includes(name)) console.log(`${name}: ${await measure()}`);
}
