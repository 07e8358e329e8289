/**
 * `npm run chaos -- [--minutes N] [--seed S] [--round R] [--kind K] [--long]`: storms over the real command, one round
 * after another, until the minutes are over. Each round is derived from the seed and its number, so that one of them
 * can be repeated. `--kind` runs only rounds of that kind, `--long` suspends processes for up to half a minute.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { whyClocksStand } from './clock.ts';
import { judge, type Outcome } from './invariants.ts';
import { Patience } from './patience.ts';
import { KINDS, planRound, type Plan, type RoundKind } from './plan.ts';
import { Stage } from './stage.ts';
import { play } from './storm.ts';
import { shareTemporalCli } from '../shared-cli.ts';

await shareTemporalCli();
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    round: { type: 'string' },
    kind: { type: 'string' },
    long: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const endAt = Date.now() + Number(values.minutes) * 60_000;
if (!Number.isInteger(seed) || !Number.isFinite(endAt)) {
  throw new TypeError('--seed wants a whole number, --minutes a number');
}
const { kind, long } = values;
if (kind !== undefined && !isKind(kind))
  throw new TypeError(`--kind wants one of ${Object.keys(KINDS).join(', ')}`);
/** The input of a plan, beside seed and round. */
const options = { long, ...(kind === undefined ? {} : { kind }) };

function isKind(word: string): word is RoundKind {
  return word in KINDS;
}

let onStage: Stage | null = null;
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

/** Why a round cannot run on this machine; null if it can. */
function whySkipped(plan: Plan): string | null {
  const why = plan.kind === 'clocks' ? whyClocksStand() : null;
  return why === null ? null : `clocks cannot be set here (${why})`;
}

/** Runs a round; true if every promise was kept. */
async function passes(plan: Plan): Promise<boolean> {
  const { round } = plan;
  const startedAt = Date.now();
  const rows = plan.campaigns.map(({ rows: of }) => of.length).join(' + ');
  say(
    `round ${round} of seed ${seed}: ${plan.kind}, ${plan.scenario}, ${plan.lane ? 'two lanes, ' : ''}${rows} items, ${wordsFor(plan)}`,
  );
  const stage = await Stage.open(plan);
  onStage = stage;
  let outcome: Outcome | null = null;
  const broken: string[] = [];
  try {
    const played = await play(stage);
    if (!(await inOrder(stage))) broken.push('commands that were told to end have not');
    outcome = await judge(stage, played);
    broken.push(...outcome.broken);
  } catch (error) {
    broken.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
  const items = Object.entries(outcome?.items ?? {}).map(([how, n]) => `${n} ${how}`);
  say(`  ${broken.length === 0 ? 'passed' : 'FAILED'} in ${seconds} s: ${items.join(', ')}`);
  if (broken.length === 0) rmSync(stage.desk.folder, { recursive: true, force: true });
  else {
    await stage.clear();
    keep(stage, outcome, broken);
    for (const text of broken) say(text.replace(/^/gm, '    '));
    journalOf(stage, outcome).forEach(say);
    say(`  kept: ${join(stage.desk.folder, 'chaos')}`);
    const flags = `${kind === undefined ? '' : ` --kind ${kind}`}${long ? ' --long' : ''}`;
    say(`  again: npm run chaos -- --seed ${seed} --round ${round}${flags}`);
  }
  return broken.length === 0;
}

const STRIKE_TIMEOUT_MS = 45_000;

/** Ends all processes; false if some had to be killed. */
async function inOrder(stage: Stage): Promise<boolean> {
  const patience = new Patience(STRIKE_TIMEOUT_MS);
  const struck = stage.strike().then(() => true);
  const ended = await Promise.race([struck, patience.over.then(() => false)]);
  patience.end();
  if (ended) return true;
  await stage.clear();
  await struck;
  return false;
}

function wordsFor({ events }: Plan): string {
  const words = events.map((e) => {
    if (e.do === 'faults') return e.rules.map(({ name }) => name).join('+');
    if (e.do === 'end') return `${e.signal} ${e.whom}`;
    if (e.do === 'freeze') return `freeze ${e.whom.join(' and ')} for ${e.forMs} ms`;
    if (e.do === 'remove') return `remove ${e.item ?? 'the tree'}`;
    if (e.do === 'ask') return e.words.join(' ');
    if (e.do === 'set-clock') return `clock ${e.offsetS} s`;
    return e.do === 'cut' ? `cut (${e.cut})` : e.do;
  });
  return words.join(', ') || 'nothing else';
}

/** Our actions and the submissions that the service accepted, line by line, in ms since the first command started. */
function journalOf({ chronicle }: Stage, outcome: Outcome | null): string[] {
  const taken = (outcome?.journal ?? []).map(({ service, at, status, accepted, jobName }) => ({
    atMs: Math.round(at - chronicle.startedAt),
    what: `${service}: ${status}${accepted ? ', accepted' : ''} ${jobName ?? ''}`,
  }));
  return [...chronicle.happenings, ...taken]
    .sort((a, b) => a.atMs - b.atMs)
    .map(({ atMs, what }) => `    ${String(atMs).padStart(7)} ${what}`);
}

/** What is needed to understand it, beside the folder itself. */
function keep(stage: Stage, outcome: Outcome | null, broken: readonly string[]): void {
  const folder = join(stage.desk.folder, 'chaos');
  mkdirSync(folder, { recursive: true });
  const { happenings, spells, commands } = stage.chronicle;
  const document = { broken, plan: stage.plan, happenings, spells, ...outcome };
  writeFileSync(join(folder, 'round.json'), `${JSON.stringify(document, null, 2)}\n`);
  for (const [n, { name, typed }] of commands.entries()) {
    writeFileSync(join(folder, `${n}-${name.replaceAll(' ', '-')}.txt`), typed.story());
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    say(`${signal}: ends in the middle of a round`);
    // No process may outlive the storm unwatched.
    void (onStage?.clear() ?? Promise.resolve()).finally(() => process.exit(130));
  });
}
// With a promise that never settles Node could end without an error.
let isPlaying = true;
process.on('exit', (code) => {
  if (isPlaying && code !== 130) say('0 passed, 1 failed: the round did not come to its end');
  if (isPlaying) process.exitCode ||= 1;
});
let passed = 0;
let failed = 0;
const only = values.round === undefined ? null : Number(values.round);
for (let round = only ?? 0; ; round += 1) {
  const plan = planRound(seed, round, options);
  const skipped = whySkipped(plan);
  if (skipped !== null) say(`round ${round} of seed ${seed}: ${plan.kind}: skipped, ${skipped}`);
  else if (await passes(plan)) passed += 1;
  else failed += 1;
  if (only !== null || Date.now() >= endAt) break;
}
isPlaying = false;
say(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
