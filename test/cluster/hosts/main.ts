/**
 * `npm run test:cluster -- [--minutes N] [--seed S] [--round R]`: rounds on three hosts that share only Temporal and a
 * bucket, one after another, until the minutes are over. Each is derived from the seed and its number, so that one of
 * them can be repeated.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { WITHOUT_S3 } from '../../s3-server.ts';
import { clusterTools, type ClusterTools } from '../tools.ts';
import { whyNoNamespaces } from './network.ts';
import { planRound, wordsOf, type Plan } from './plan.ts';
import { playRound, type Verdict } from './round.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '15' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    round: { type: 'string' },
  },
});
const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const [seed, minutes] = [Number(values.seed), Number(values.minutes)];
if (!Number.isInteger(seed) || !Number.isFinite(minutes))
  throw new TypeError('--seed wants a whole number, --minutes a number');

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
  say(`  again: npm run test:cluster -- --seed ${plan.seed} --round ${plan.round}`);
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
    const plan = planRound(seed, round);
    say(`round ${round} of seed ${seed}: ${wordsOf(plan)}`);
    if (await passes(tools as ClusterTools, plan)) passed += 1;
    else failed += 1;
    if (only !== null || Date.now() >= endAt) break;
  }
}
say(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
