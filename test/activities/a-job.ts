/** One item on disk with its job, and a worker that has only what an activity uses. */
import { onTestFinished } from 'vitest';
import { JobsSeen, type Dependencies } from '../../src/activities/dependencies.ts';
import { OWN_PACE } from '../../src/services/polling.ts';
import { createClient, findServiceOfKind } from '../../src/services/registry.ts';
import { openFileStore } from '../../src/store/file-store.ts';
import { createWaitingRecord, writeItem } from '../../src/store/item-store.ts';
import type { ItemInput } from '../../src/workflows/messages.ts';
import type { ItemJob } from '../../src/budget/queue.ts';
import type { RemoteJob, SubmitRequest } from '../../src/workflows/activity-types.ts';
import { JOBS, type OurKind, TOKEN } from '../services/jobs.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

/** Every tree belongs to this Temporal: for tests of activities that do not cover leases. */
export const OURS: Dependencies['leases'] = { check: () => Promise.resolve() };

export async function aJob(kind: OurKind): Promise<RemoteJob> {
  const folder = await temporaryFolder();
  const { options, input } = JOBS[kind];
  const about = { canonical: '', email: null, title: null, row: {}, user: {} };
  const source = { file: 'x.csv', line: 2 };
  const store = await openFileStore(folder);
  await writeItem(
    store,
    createWaitingRecord({ id: 'one', kind, options, input, source, ...about }),
  );
  await store.write(`${kind}s/one/${input.name}`, input.text);
  const item = { campaign: 'c', store: folder, tree: '', id: 'one', kind, generation: 0 };
  const reference = { service: findServiceOfKind(kind).name, address: 'a', credential: 'c' };
  return { item, reference, remoteId: 'r-1' };
}

export function workerWith(client: unknown, more: Partial<Dependencies> = {}): Dependencies {
  const parts = {
    serviceOf: () => ({ client, pace: OWN_PACE }),
    openStore: openFileStore,
    leases: OURS,
    jobsSeen: new JobsSeen(),
    ...more,
  };
  return parts as unknown as Dependencies;
}

/** The first submission of an item. */
export function submissionOf(job: ItemJob): SubmitRequest {
  const { id } = job;
  const ours = { run: 'r', campaign: 'c', credential: 'c', attempt: 0, priority: 3, user: null };
  const granted = { order: 0, turnedAway: [], notBefore: 0, readIn: 'r', probe: false };
  return { item: `item:c:${id}`, job, ...ours, ...granted, policy: NO_LIMIT };
}

const NO_LIMIT = { windows: [], maxOpen: null, counts: 'accepted' } as const;

/** Workflows of items are not started: what each would have begun with is noted. */
export function starterInto(begun: unknown[]): Dependencies['starter'] {
  const start = (_: string, { args }: { args: [ItemInput] }) => {
    begun.push(args[0].begin);
    return Promise.resolve();
  };
  return { workflow: { start } } as unknown as Dependencies['starter'];
}

interface Target {
  readonly url: string;
  readonly deadlineMs?: number;
}

/** A worker with the client of a service that is reached by real HTTP. */
export function workerFor(kind: OurKind, target: Target): Dependencies {
  const client = createClient({
    service: findServiceOfKind(kind).name,
    secrets: { token: TOKEN },
    ...target,
  });
  onTestFinished(() => client.close());
  return workerWith(client);
}
