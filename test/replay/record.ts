/** Runs campaigns through every branch of the workflows, for their histories. */
import { ifFound } from '../../src/activities/if-found.ts';
import { budgetWorkflowId, campaignWorkflowId, itemWorkflowId } from '../../src/workflows/names.ts';
import { molecules, Rig, sequences, type RigOptions, type Started } from '../rig.ts';
import { retried } from '../workflows/reopening.ts';
import { record } from './histories.ts';

const QUICK: RigOptions = { engine: 'synthetic', jobMs: 20, concurrency: 0 };

/** @param only one course, as after a patched change: the histories of the former path stay. */
export async function recordCourses(only: string | null): Promise<void> {
  const wanted = COURSES.filter(({ name }) => only === null || name === only);
  if (wanted.length === 0) throw new Error(`no course is called ${String(only)}`);
  for (const one of wanted) await recordCourse(one);
}

interface Course {
  readonly name: string;
  readonly options: RigOptions;
  readonly run: (rig: Rig) => Promise<Started>;
}

const COURSES: readonly Course[] = [
  {
    name: 'faults',
    options: { ...QUICK, limit: 6, windowMs: 1_500, faults: faults() },
    async run(rig) {
      const started = await rig.start([...sequences(24), ...molecules(3)], 'faults');
      await started.handle.result();
      return started;
    },
  },
  {
    name: 'cancelled',
    options: { ...QUICK, limit: 4, windowMs: 1_500 },
    async run(rig) {
      const started = await rig.start(sequences(12), 'cancelled');
      await begun(rig);
      await started.handle.signal('pause');
      await started.handle.signal('resume');
      await started.handle.cancel();
      await started.handle.result();
      return started;
    },
  },
  {
    name: 'long',
    options: { ...QUICK, limit: 0 },
    async run(rig) {
      const started = await rig.start(sequences(60), 'long');
      await started.handle.result();
      return { ...started, ids: started.ids.slice(0, 1) };
    },
  },
  {
    // Its end is computed at the start, on resume, and when rows are added.
    name: 'foreseen',
    options: { ...QUICK, limit: 4, windowMs: 1_500 },
    async run(rig) {
      const started = await rig.start(sequences(10), 'foreseen');
      await begun(rig);
      await started.handle.signal('pause');
      await started.handle.signal('resume');
      await rig.start(sequences(14), 'foreseen');
      await started.handle.result();
      return { ...started, ids: started.ids.slice(0, 1) };
    },
  },
  {
    // The budget reads its clock through an activity, writes a memo, and answers the run that requested.
    name: 'clocked',
    options: { ...QUICK, limit: 6, windowMs: 1_500, faults: faults() },
    async run(rig) {
      const started = await rig.start([...sequences(24), ...molecules(3)], 'clocked');
      await started.handle.result();
      return started;
    },
  },
  {
    // One activity handles everything after the acceptance.
    name: 'in-one',
    options: { ...QUICK, limit: 6, windowMs: 1_500, faults: faults() },
    async run(rig) {
      const started = await rig.start([...sequences(24), ...molecules(3)], 'in-one');
      await started.handle.result();
      return started;
    },
  },
  {
    // Cancelled while that activity waits for jobs.
    name: 'in-one-cancelled',
    options: { ...QUICK, jobMs: 60_000, limit: 4, windowMs: 1_500 },
    async run(rig) {
      const started = await rig.start(sequences(12), 'in-one-cancelled');
      await begun(rig);
      await started.handle.cancel();
      await started.handle.result();
      return started;
    },
  },
  {
    // The workflow of an item starts with the answer to its submission.
    name: 'answered',
    options: { ...QUICK, limit: 6, windowMs: 1_500, faults: faults() },
    async run(rig) {
      const started = await rig.start([...sequences(24), ...molecules(3)], 'answered');
      await started.handle.signal('look');
      await started.handle.result();
      return started;
    },
  },
  {
    // Cancelled while rows wait, a submission is in progress and jobs run.
    name: 'answered-cancelled',
    options: {
      ...QUICK,
      jobMs: 60_000,
      limit: 5,
      windowMs: 3_600_000,
      faults: [{ name: 'slow', endpoint: 'submit', ms: 500 }],
    },
    async run(rig) {
      const started = await rig.start(sequences(12), 'answered-cancelled');
      await begun(rig);
      await started.handle.cancel();
      await started.handle.result();
      return started;
    },
  },
  {
    // Slots are charged from the answers, the clocks are compared between the windows, and a campaign hears once of its
    // last grants. An item that waits for its job is asked to request a slot.
    name: 'charged-from-answers',
    options: {
      ...QUICK,
      jobMs: 1_000,
      limit: 6,
      windowMs: 8_000,
      faults: faults(),
      policy: { sameFailures: 20 },
    },
    async run(rig) {
      const started = await rig.start([...sequences(15), ...molecules(3)], 'charged-from-answers');
      await begun(rig);
      await started.handle.signal('pause');
      await started.handle.signal('resume');
      await askEach(rig, started);
      await started.handle.result();
      return started;
    },
  },
  {
    // The log of a failed job is fetched; `retry` looks up the former job, abandons it, and another one is submitted.
    name: 'retried',
    options: { ...QUICK, limit: 0, faults: [{ name: 'fail' }] },
    async run(rig) {
      const rows = [...sequences(2), ...molecules(1)];
      const first = await rig.start(rows, 'retried');
      await first.handle.result();
      rig.services.faults.clear();
      return retried(rig, first, rows);
    },
  },
];

/** Of those that run. */
async function askEach(rig: Rig, { name, ids }: Started): Promise<void> {
  for (const id of ids) {
    const item = rig.client.workflow.getHandle(itemWorkflowId(name, id));
    await ifFound(item.signal('ask'));
  }
}

/** Lost answers, refusals, jobs that fail and jobs that vanish. */
function faults(): NonNullable<RigOptions['faults']> {
  return [
    { name: 'reset-after', service: 'predictions', times: 2 },
    { name: 'rate-limit', service: 'predictions', times: 1 },
    { name: 'reject', service: 'predictions', times: 1 },
    { name: 'fail', service: 'predictions', times: 1 },
    { name: 'lose', service: 'predictions', times: 1 },
    { name: 'reset-after', service: 'molecules', times: 1 },
  ];
}

async function recordCourse({ name, options, run }: Course): Promise<void> {
  const rig = await Rig.open(options);
  try {
    const started = await run(rig);
    const budgets = rig.settings.map(({ reference }) => budgetWorkflowId(reference));
    const items = started.ids.map((id) => itemWorkflowId(started.name, id));
    const workflows = [campaignWorkflowId(started.name), ...budgets, ...items];
    await record(rig.client, name, workflows, rig.folder);
  } finally {
    await rig.close();
  }
}

async function begun(rig: Rig): Promise<void> {
  while (rig.services.journal().length < 4) await new Promise((go) => setTimeout(go, 50));
}
