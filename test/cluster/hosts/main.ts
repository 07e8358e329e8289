/**
 * `npm run test:cluster -- [--minutes N] [--seed S] [--round R] [--scenario WORD]`: rounds on three hosts that share
 * only Temporal and a bucket, one after another, until the minutes are over. Each is derived from the seed and its
 * number, so that one of them can be repeated. `--list` prints the plans and runs none.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { whyClocksStand } from '../../chaos/clock.ts';
import { WITHOUT_S3 } from '../../s3-server.ts';
import { clusterTools, type ClusterTools } from '../tools.ts';
import { whyNoNamespaces } from './network.ts';
import { planRound, SCENARIOS, wordsOf, type Plan, type Scenario } from './plan.ts';
import { playRound, type Verdict } from './round.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '15' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    round: { type: 'string' },
    scenario: { type: 'string' },
    short: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});
const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const seed = Number(values.seed);
const minutes = Number(values.minutes);
if (!Number.isInteger(seed) || !Number.isFinite(minutes))
  throw new TypeError('--seed wants a whole number, --minutes a number');
const { scenario, short } = values;
if (scenario !== undefined && !isScenario(scenario))
  throw new TypeError(`--scenario wants one of ${SCENARIOS.join(', ')}`);
const options = { short, ...(scenario === undefined ? {} : { scenario }) };

function isScenario(word: string): word is Scenario {
  return (SCENARIOS as readonly string[]).includes(word);
}

function whySkipped({ scenario: of }: Plan): string | null {
  const needsClocks = of === 'clocks' || of === 'all';
  const why = needsClocks ? whyClocksStand() : null;
  return why === null ? null : `clocks cannot be set here (${why})`;
}

/** It could not be completed, for a reason of the machine or of the test. */
function unplayed(error: unknown): Verdict {
  const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { broken: [why], items: {}, seconds: 0, stories: why };
}

async function passes(tools: ClusterTools, plan: Plan): Promise<boolean> {
  const { broken, items, seconds, stories } = await playRound(tools, plan).catch(unplayed);
  const ended = Object.entries(items).map(([how, n]) => `${n} ${how}`);
  const word = broken.length === 0 ? 'passed' : 'FAILED';
  say(`  ${word} in ${seconds.toFixed(0)} s: ${ended.join(', ')}`);
  if (broken.length === 0) return true;
  for (const text of broken) say(text.replace(/^/gm, '    '));
  const file = join(mkdtempSync(join(tmpdir(), 'hundredfold-round-')), 'stories.txt');
  writeFileSync(file, stories);
  say(`  what the processes said: ${file}`);
  const flags = `${scenario === undefined ? '' : ` --scenario ${scenario}`}${short ? ' --short' : ''}`;
  say(`  again: npm run test:cluster -- --seed ${plan.seed} --round ${plan.round}${flags}`);
  return false;
}

const tools = clusterTools();
const missing = typeof tools === 'string' ? tools : (WITHOUT_S3 ?? whyNoNamespaces());
let [passed, failed] = [0, 0];
if (missing !== null) say(`skipped: ${missing}`);
else {
  const endAt = Date.now() + minutes * 60_000;
  const only = values.round === undefined ? null : Number(values.round);
  for (let round = only ?? 0; ; round += 1) {
    const plan = planRound(seed, round, options);
    const skipped = whySkipped(plan);
    say(`round ${round} of seed ${seed}: ${wordsOf(plan)}`);
    if (skipped !== null) say(`  skipped: ${skipped}`);
    else if (values.list) say('  not played');
    else if (await passes(tools as ClusterTools, plan)) passed += 1;
    else failed += 1;
    if (only !== null || (values.list ? round === 9 : Date.now() >= endAt)) break;
  }
}
say(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
