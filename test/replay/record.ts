/** Runs campaigns through every turn that a workflow can take, for their histories. */
import { budgetWorkflowId, campaignWorkflowId, itemWorkflowId } from '../../src/workflows/names.ts';
import { molecules, Rig, sequences, type RigOptions, type Started } from '../rig.ts';
import { record } from './histories.ts';

const QUICK: RigOptions = { engine: 'synthetic', jobMs: 20, concurrency: 0 };

export async function recordAll(): Promise<void> {
  await course('faults', { ...QUICK, limit: 6, windowMs: 1_500, faults: FAULTS }, async (rig) => {
    const started = await rig.start([...sequences(24), ...molecules(3)], 'faults');
    await started.handle.result();
    return started;
  });
  await course('cancelled', { ...QUICK, limit: 4, windowMs: 1_500 }, async (rig) => {
    const started = await rig.start(sequences(12), 'cancelled');
    await begun(rig);
    await started.handle.signal('pause');
    await started.handle.signal('resume');
    await started.handle.cancel();
    await started.handle.result();
    return started;
  });
  await course('long', { ...QUICK, limit: 0 }, async (rig) => {
    const started = await rig.start(sequences(60), 'long');
    await started.handle.result();
    return { ...started, ids: started.ids.slice(0, 1) };
  });
}

/** Answers that are lost, refusals, jobs that fail and jobs that vanish. */
const FAULTS: NonNullable<RigOptions['faults']> = [
  { name: 'reset-after', service: 'predictions', times: 2 },
  { name: 'rate-limit', service: 'predictions', times: 1 },
  { name: 'reject', service: 'predictions', times: 1 },
  { name: 'fail', service: 'predictions', times: 1 },
  { name: 'lose', service: 'predictions', times: 1 },
  { name: 'reset-after', service: 'molecules', times: 1 },
];

async function course(
  name: string,
  options: RigOptions,
  run: (rig: Rig) => Promise<Started>,
): Promise<void> {
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
