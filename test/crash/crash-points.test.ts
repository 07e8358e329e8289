/**
 * A worker dies by SIGKILL at a named point, the next one takes over and dies at the next point, until the last one
 * finishes the campaign: and every promise holds. Each point of `points.ts` is in one of the lives below.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { itemsTable } from '../promises.ts';
import { molecules, sequences } from '../rig.ts';
import { CORE_POINTS, DEPENDENCY_POINTS, type Crash, type CrashPoint } from './points.ts';
import { LIMITS, Scene, type SceneOptions, type Started } from './scene.ts';
import type { WorkerProcess } from './worker-process.ts';

/** For a life with many deaths, each of which takes some 5 s to be detected, on a busy machine. */
const PATIENCE = { timeout: 400_000 };
const DEATH_WITHIN_MS = 60_000;

/** A campaign whose workers die one after the other. */
interface Life {
  readonly title: string;
  readonly sequences?: number;
  readonly molecules?: number;
  /** Rows that request the same work as one of the sequences. */
  readonly duplicates?: number;
  readonly services?: SceneOptions;
  /** Where they die, in this order; at the first arrival, unless `[point, nth]` says otherwise. */
  readonly deaths: readonly (CrashPoint | readonly [CrashPoint, number])[];
}

/** Maximum number of jobs of the molecule service in progress when a worker dies. */
const MOLECULES_AT_ONCE = 3;

const LIVES: readonly Life[] = [
  {
    title: 'until its items are submitted',
    sequences: 18,
    deaths: [
      'campaign: page asked for, not read',
      'campaign: before the budget is asked',
      'campaign: budget asked',
      ['submit: before the POST', 3],
      ['submit: accepted, not reported', 2],
      ['submit: accepted, item not begun', 2],
      ['submit: item begun, not reported', 2],
    ],
  },
  {
    title: 'until its results are there',
    sequences: 18,
    services: { faults: [{ name: 'reset-after', times: 2 }] },
    deaths: [
      'find: asked, not answered',
      ['poll: before the acceptance is noted', 2],
      ['poll: asked, not answered', 3],
      ['fetch: half of the stream', 5],
      ['fetch: temporary file filled, not renamed', 4],
      ['fetch: file there, not reported', 5],
      ['conclude: files there, no end in item.json', 2],
    ],
  },
  {
    title: 'until it is published',
    sequences: 8,
    duplicates: 5,
    deaths: [
      ['conclude: end in item.json, campaign not told', 3],
      ['conclude: campaign told, not reported', 2],
      ['deliver: files there, no end in item.json', 3],
      ['deliver: end in item.json, nothing published', 2],
      'publish: before the tables',
      'publish: tables there, no SHA256SUMS',
      'publish: SHA256SUMS there, not reported',
    ],
  },
  {
    title: 'while workflows continue as new',
    sequences: 40,
    deaths: [
      'ensureBudget: before the budget is started',
      'ensureBudget: budget started, not reported',
      'budget: before continue-as-new',
      'budget: continued as new',
      'campaign: before continue-as-new',
      'campaign: continued as new',
    ],
  },
  {
    title: 'with molecules, which have no names',
    molecules: 14,
    services: { moleculeLimit: MOLECULES_AT_ONCE },
    deaths: [
      ['submit: before the POST', 2],
      ['submit: accepted, not reported', 2],
      'submit: accepted, item not begun',
      'fetch: half of the stream',
      'fetch: file there, not reported',
      'conclude: files there, no end in item.json',
    ],
  },
];

test('the scenarios crash at every point', () => {
  const met = new Set(LIVES.flatMap(({ deaths }) => deaths.map((death) => crashOf(death).point)));
  expect([...met].sort()).toEqual([...DEPENDENCY_POINTS, ...CORE_POINTS].sort());
});

function crashOf(death: Life['deaths'][number]): Crash {
  return typeof death === 'string' ? { point: death, nth: 1 } : { point: death[0], nth: death[1] };
}

/** From the start of work of the next worker to its first submission, in ms. A measurement, not a promise. */
const recoveries: Record<string, number> = {};

async function live({ deaths, ...life }: Life, scene: Scene): Promise<Started> {
  const rows = [
    ...sequences(life.sequences ?? 0),
    ...molecules(life.molecules ?? 0),
    ...sequences(life.duplicates ?? 0).map((row) => ({ ...row, id: `again-${row.id}` })),
  ];
  const readyAfter = new Map<CrashPoint, number>();
  let started: Started | null = null;
  let died: CrashPoint | null = null;
  const next = async (crash: Crash | null): Promise<WorkerProcess> => {
    const worker = scene.worker(crash);
    const ready = await worker.ready;
    if (died !== null) readyAfter.set(died, ready);
    return worker;
  };
  for (const crash of deaths.map(crashOf)) {
    const worker = await next(crash);
    if (started === null && crash.point.startsWith('ensureBudget')) await endBudget(scene);
    started ??= await scene.start(rows);
    await deathOf(worker, crash, scene, started);
    died = crash.point;
  }
  if (started === null) throw new Error('a life without a death');
  await next(null);
  await scene.end(started);
  const ends = [...readyAfter.values()].slice(1);
  for (const [n, [point, ready]] of [...readyAfter].entries()) {
    // If that worker sent nothing in its life, nothing had to be sent.
    const sent = scene.journal().find(({ at }) => at >= ready && at < (ends[n] ?? Infinity));
    if (sent) recoveries[point] = sent.at - ready;
  }
  return started;
}

/** The budget workflow is terminated before it has anything to forget. */
async function endBudget(scene: Scene): Promise<void> {
  await scene.budget().terminate('by hand');
}

async function deathOf(
  worker: WorkerProcess,
  { point }: Crash,
  scene: Scene,
  started: Started,
): Promise<void> {
  const giveUpAt = Date.now() + DEATH_WITHIN_MS;
  let signal: NodeJS.Signals | null | undefined;
  void worker.ended.then((how) => (signal = how));
  if (point.includes('before continue-as-new')) await lengthen(point, scene, started);
  while (signal === undefined) {
    if (Date.now() > giveUpAt) throw new Error(`"${point}" was not reached:\n${scene.log()}`);
    await delay(20);
  }
  expect(signal, scene.log()).toBe('SIGKILL');
  await nothingIsHalf(started.folder);
}

/** Files under their own name at the moment of a death are complete: a reader may come at any time. */
async function nothingIsHalf(folder: string): Promise<void> {
  const broken: string[] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith('.json')) continue;
    const text = await readFile(join(folder, name), 'utf8');
    if (!isJson(text)) broken.push(name);
  }
  expect(broken, 'files that are not whole').toEqual([]);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The suite's server suggests to continue as new after 300 events. */
const EVENTS = 320;

/** Signals without effect, until the history of a workflow is that long. */
async function lengthen(point: CrashPoint, scene: Scene, { handle }: Started): Promise<void> {
  const nobody = { id: 'nobody', state: 'succeeded', code: null, message: null };
  const signal = point.startsWith('budget')
    ? () => scene.budget().signal('withdraw', { item: 'nobody' })
    : () => handle.signal('itemDone', [nobody]);
  for (let sent = 0; sent < EVENTS; sent += 20) {
    await Promise.all(Array.from({ length: 20 }, signal));
  }
}

afterAll(() => {
  if (process.env['HUNDREDFOLD_FIGURES'] === undefined) return;
  console.log('ms from the next worker to the next submission', recoveries);
});

describe.concurrent('workers killed one after the other', () => {
  test.for(LIVES)('$title: every promise holds', PATIENCE, async (life, context) => {
    const scene = await Scene.open(life.services);
    context.onTestFinished(() => scene.close());
    const started = await live(life, scene);
    const kills = life.deaths.length;
    await endsWell(scene, started, life.molecules ? kills * MOLECULES_AT_ONCE : 0);
  });
});

/**
 * Predictions all succeed, sent once each; molecules whose POST was in progress are held, with their reason, and not
 * sent again.
 */
async function endsWell(scene: Scene, started: Started, mostHeld: number): Promise<void> {
  const rows = await itemsTable(started.folder);
  const held = rows.filter(({ state }) => state === 'held');
  for (const item of held) {
    expect(item).toMatchObject({ kind: 'molecule', error_code: 'SUBMIT_UNSURE' });
  }
  expect(held.length, 'held').toBeLessThanOrEqual(mostHeld);
  const succeeded = rows.filter(({ state }) => state === 'succeeded');
  expect(succeeded, 'items that succeeded').toHaveLength(started.ids.length - held.length);
  const jobs = scene.accepted().filter(({ service }) => service === 'predictions');
  const own = rows.filter(({ kind, result_from: from }) => kind === 'sequence' && from === '');
  expect(jobs, 'jobs').toHaveLength(own.length);
  const again = rows.filter(({ id }) => id?.startsWith('again-'));
  for (const { id, result_from: from } of again)
    expect(`again-${from}`).toBe(`again-duplicate:${id?.slice(6)}`);
  await scene.keepsPromises(started);
}

/** The first POST to each service gets no answer: the service either has the job or not. */
const OUTSTANDING = [
  { fault: 'hang', has: 'has not accepted' },
  { fault: 'hang-after', has: 'has accepted' },
] as const;

describe.concurrent('a worker killed while a POST is outstanding', () => {
  test.for(OUTSTANDING)(
    'that the service $has looks the prediction up and holds the molecule',
    PATIENCE,
    async ({ fault }, context) => {
      const [proteins, drugs] = [8, 4];
      // Longer than the detection of a death: pending submissions must still be counted then.
      const windowMs = 8_000;
      const services = ['predictions', 'molecules'] as const;
      const faults = services.map((service) => ({
        ...({ name: fault, endpoint: 'submit', times: 1 } as const),
        service,
      }));
      const scene = await Scene.open({ faults, windowMs });
      context.onTestFinished(() => scene.close());
      const dies = scene.worker();
      await dies.ready;
      const started = await scene.start([...sequences(proteins), ...molecules(drugs)]);
      // All POSTs of the first burst are finished, except those that hang.
      const burst = LIMITS.limit + drugs;
      await scene.untilAccepted(fault === 'hang' ? burst - services.length : burst);
      await dies.kill();
      await scene.worker().ready;
      await scene.end(started);
      await endsWell(scene, started, drugs);
      const held = (await itemsTable(started.folder)).filter(({ state }) => state === 'held');
      expect(held.length, 'held').toBeGreaterThanOrEqual(1);
    },
  );

  test(
    'in a burst of molecules says nothing about the service: the others run',
    PATIENCE,
    async (context) => {
      const [burst, drugs] = [8, 20];
      const hang = {
        name: 'hang',
        service: 'molecules',
        endpoint: 'submit',
        times: burst,
      } as const;
      const policy = { sameFailures: 5 };
      const scene = await Scene.open({ faults: [hang], policy, maxUnfinished: burst });
      context.onTestFinished(() => scene.close());
      const dies = scene.worker();
      await dies.ready;
      const started = await scene.start(molecules(drugs));
      await expect
        .poll(() => scene.journal().length, { interval: 20 })
        .toBeGreaterThanOrEqual(burst);
      await dies.kill();
      await scene.worker().ready;
      await scene.end(started);
      await endsWell(scene, started, drugs - 1);
      const held = (await itemsTable(started.folder)).filter(({ state }) => state === 'held');
      expect(held.length, 'held').toBeGreaterThanOrEqual(burst);
    },
  );
});
