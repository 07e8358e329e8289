/**
 * A worker dies by SIGKILL at a named point, the next one takes over and dies at the next point, until the last one
 * finishes the campaign: and every promise holds.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ServiceName } from '../../packages/local-services/src/contract.ts';
import { itemsTable } from '../promises.ts';
import { molecules, sequences, type Started } from '../rig.ts';
import type { Crash } from './hazards.ts';
import { LIMITS, Scene, type SceneOptions } from './scene.ts';
import type { WorkerProcess } from './worker-process.ts';

/** For a life with many deaths, each of which takes some 5 s to be detected, on a busy machine. */
const LONG_TEST = { timeout: 400_000 };
const DEATH_TIMEOUT_MS = 150_000;

/** A campaign whose workers die one after the other. */
interface Life {
  readonly title: string;
  readonly sequences?: number;
  readonly molecules?: number;
  /** Rows that request the same work as one of the sequences. */
  readonly duplicates?: number;
  readonly services?: SceneOptions;
  /** Where they die, in this order; at the first arrival, unless `[point, nth]` says otherwise. */
  readonly deaths: readonly (string | readonly [string, number])[];
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

async function live({ deaths, ...life }: Life, scene: Scene): Promise<Started> {
  const rows = [
    ...sequences(life.sequences ?? 0),
    ...molecules(life.molecules ?? 0),
    ...sequences(life.duplicates ?? 0).map((row) => ({ ...row, id: `again-${row.id}` })),
  ];
  let started: Started | null = null;
  for (const death of deaths) {
    const [point, nth] = typeof death === 'string' ? [death, 1] : death;
    const worker = scene.worker({ point, nth });
    await worker.ready;
    // It is terminated before it has anything to forget.
    if (started === null && point.startsWith('ensureBudget'))
      await scene.budget().terminate('by hand');
    started ??= await scene.start(rows);
    await deathOf(worker, { point, nth }, scene, started);
  }
  if (started === null) throw new Error('a life without a death');
  await scene.worker().ready;
  await scene.end(started);
  return started;
}

async function deathOf(
  worker: WorkerProcess,
  { point }: Crash,
  scene: Scene,
  started: Started,
): Promise<void> {
  if (point.includes('before continue-as-new')) await lengthen(point, scene, started);
  const late = delay(DEATH_TIMEOUT_MS, 'late' as const, { ref: false });
  const signal = await Promise.race([worker.ended, late]);
  expect(signal, `"${point}" was not reached:\n${scene.log()}`).toBe('SIGKILL');
  // Files under their own name are complete at that moment: a reader may come at any time.
  for (const name of await readdir(started.folder, { recursive: true })) {
    if (!name.endsWith('.json')) continue;
    const text = await readFile(join(started.folder, name), 'utf8');
    expect(() => JSON.parse(text) as unknown, `${name} is not whole`).not.toThrow();
  }
}

/** The suite's server suggests to continue as new after 300 events. */
const EVENTS = 320;

/** Signals without effect, until the history of a workflow is that long. */
async function lengthen(point: string, scene: Scene, { handle }: Started): Promise<void> {
  const nobody = { id: 'nobody', state: 'succeeded', code: null, message: null };
  const signal = point.startsWith('budget')
    ? () => scene.budget().signal('withdraw', { item: 'nobody' })
    : () => handle.signal('itemDone', nobody);
  for (let sent = 0; sent < EVENTS; sent += 20) {
    await Promise.all(Array.from({ length: 20 }, signal));
  }
}

describe.concurrent('workers killed one after the other', () => {
  test.for(LIVES)('$title: every promise holds', LONG_TEST, async (life, context) => {
    const scene = await Scene.open(life.services);
    context.onTestFinished(() => scene.close());
    const started = await live(life, scene);
    const kills = life.deaths.length;
    await endsWell(scene, started, life.molecules ? kills * MOLECULES_AT_ONCE : 0);
  });
});

/**
 * Predictions all succeed, sent once each; molecules whose POST was in progress are held, with their reason, and not
 * sent again. Returns how many.
 */
async function endsWell(scene: Scene, started: Started, mostHeld: number): Promise<number> {
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
  return held.length;
}

/** The first POSTs get no answer: the service either has the jobs or not. */
interface Outstanding {
  readonly title: string;
  readonly options: SceneOptions;
  readonly rows: readonly object[];
  /** The worker is killed when this many submissions have arrived. */
  readonly arrived: number;
  readonly held: readonly [least: number, most: number];
}

const unanswered = (service: ServiceName, name: 'hang' | 'hang-after', times = 1) =>
  ({ name, service, endpoint: 'submit', times }) as const;
/** As many as a slow start sends before the first success. */
const BURST = 5;

const OUTSTANDING: readonly Outstanding[] = [
  ...(['hang', 'hang-after'] as const).map((fault) => ({
    title: `looks the prediction up and holds the molecule (${fault})`,
    options: {
      faults: [unanswered('predictions', fault), unanswered('molecules', fault)],
      // Longer than the detection of a death: pending submissions must still be counted then.
      windowMs: 8_000,
    },
    rows: [...sequences(8), ...molecules(4)],
    arrived: LIMITS.limit + 4,
    held: [1, 4] as const,
  })),
  {
    title: 'in a burst of molecules says nothing about the service: the others run',
    options: {
      faults: [unanswered('molecules', 'hang', BURST)],
      policy: { sameFailures: 5 },
      maxOpen: BURST,
    },
    rows: molecules(20),
    arrived: BURST,
    held: [BURST, 19],
  },
];

describe.concurrent('a worker killed while a POST is outstanding', () => {
  test.for(OUTSTANDING)('$title', async ({ options, rows, arrived, held }, context) => {
    const scene = await Scene.open(options);
    context.onTestFinished(() => scene.close());
    const dies = scene.worker();
    await dies.ready;
    const started = await scene.start(rows);
    await scene.untilArrived(arrived);
    await dies.kill();
    await scene.worker().ready;
    await scene.end(started);
    expect(await endsWell(scene, started, held[1]), 'held').toBeGreaterThanOrEqual(held[0]);
  });
});
