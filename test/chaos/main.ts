/**
 * `npm run chaos -- [--minutes N] [--seed S] [--round R]`: storms over the real command, one round after another, until
 * the minutes are over. Each round is made from the seed and its number, so that one of them can be played again.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { judge, type Outcome } from './invariants.ts';
import { planRound, type Plan } from './plan.ts';
import { Stage } from './stage.ts';
import { play } from './storm.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    round: { type: 'string' },
  },
});
const seed = Number(values.seed);
const endAt = Date.now() + Number(values.minutes) * 60_000;
if (!Number.isInteger(seed) || !Number.isFinite(endAt)) {
  throw new TypeError('--seed wants a whole number, --minutes a number');
}

let onStage: Stage | null = null;
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

/** Plays a round; true when every promise was kept. */
async function passes(round: number): Promise<boolean> {
  const plan = planRound(seed, round);
  const startedAt = Date.now();
  const rows = plan.campaigns.map(({ rows: of }) => of.length).join(' + ');
  say(`round ${round} of seed ${seed}: ${plan.scenario}, ${rows} items, ${wordsFor(plan)}`);
  const stage = await Stage.open(plan);
  onStage = stage;
  let outcome: Outcome | null = null;
  const broken: string[] = [];
  try {
    const played = await play(stage);
    await stage.strike();
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
    say(`  again: npm run chaos -- --seed ${seed} --round ${round}`);
  }
  return broken.length === 0;
}

function wordsFor({ events }: Plan): string {
  const words = events.map((e) => {
    if (e.do === 'faults') return e.rules.map(({ name }) => name).join('+');
    if (e.do === 'end') return `${e.signal} ${e.whom}`;
    return e.do === 'cut' ? `cut (${e.cut})` : e.do;
  });
  return words.join(', ');
}

/** What we did and what the service took, line by line, in ms since the first command was typed. */
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

process.once('SIGINT', () => {
  // No process may outlive the storm that nobody watches any more.
  void (onStage?.clear() ?? Promise.resolve()).finally(() => process.exit(130));
});
let passed = 0;
let failed = 0;
const only = values.round === undefined ? null : Number(values.round);
for (let round = only ?? 0; ; round += 1) {
  if (await passes(round)) passed += 1;
  else failed += 1;
  if (only !== null || Date.now() >= endAt) break;
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
