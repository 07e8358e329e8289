/** The submit protocol: at most one job per item, whatever happens to the answer to its submission. */
import { describe, expect, test } from 'vitest';
import type { FaultRule } from '../../packages/local-services/src/faults.ts';
import { nudgeSignal, withdrawRunSignal } from '../../src/workflows/messages.ts';
import { buildBudgetWorkflowId } from '../../src/workflows/names.ts';
import { molecules, sequences, type Ran, type Rig } from '../rig.ts';
import {
  accepted,
  answered,
  codes,
  openRig,
  openWithGoBetween,
  rowOf,
  settingsOf,
  until,
} from './faulty.ts';
import type { Answer, GoBetween, Rewrite, Seen } from './go-between.ts';

const isList = ({ path }: Seen) => path.includes('/past-results/');
const isSubmissionOf = ({ method, body }: Seen, id: string) =>
  method === 'POST' && body.includes(`.${id}.`);
const named = (...ids: string[]) =>
  sequences(ids.length).map((row, i) => ({ ...row, id: ids[i] ?? row.id }));

const RESET: Answer = { status: 0, cut: 'whole' };

/** Possible answers in place of the acknowledgement of an accepted job. */
const LOST_ANSWERS: readonly Answer[] = [
  RESET,
  { status: 200, body: '{"request_id":"0000-1111', cut: 'half' },
  { status: 500, body: 'oops' },
  { status: 502, body: 'Bad Gateway' },
  { status: 504, body: { error: 'upstream timed out' } },
  { status: 200, body: '<!doctype html><title>Hello</title>' },
  { status: 200, body: { status: 'enqueued' } },
];

type Entry = Readonly<Record<string, unknown>>;

/** How the list of past results fails before it is read, and that it comes in pages. Its shapes: services/predictions. */
const LISTS: readonly ((entries: readonly Entry[]) => Answer)[] = [
  (entries) => ({ status: 200, body: entries }),
  () => ({ status: 503, body: 'later' }),
  () => ({ status: 200, body: '<html>back soon</html>' }),
  () => RESET,
  (entries) => ({ status: 200, body: paged(entries, 0) }),
];

/** One entry per page; only the service itself can reach the host of the link. */
const paged = (entries: readonly Entry[], page: number) => ({
  results: entries.slice(page, page + 1),
  next: page + 1 < entries.length ? `http://inside.invalid/past/?page=${page + 1}` : null,
});

/**
 * Every second acknowledgement is lost (if all were, the service would be left alone for longer and longer), each in
 * its own way, and every request of the list gets another answer.
 */
function loseAnswers(between: GoBetween): void {
  let [taken, looks] = [0, 0];
  const rewrite: Rewrite = (request, answer) => {
    if (request.method === 'POST' && answer.status === 200) {
      taken += 1;
      return (taken % 2 === 0 ? LOST_ANSWERS[taken / 2 - 1] : null) ?? answer;
    }
    if (!isList(request) || answer.status !== 200) return answer;
    const entries = JSON.parse(answer.body) as Entry[];
    const page = new URL(request.path, between.url).searchParams.get('page');
    if (page !== null) return { status: 200, body: paged(entries, Number(page)) };
    looks += 1;
    return LISTS[(looks - 1) % LISTS.length]?.(entries) ?? answer;
  };
  between.rewrite = rewrite;
}

describe.concurrent('an accepted job whose answer was lost', () => {
  test('is not waited for when its row was withdrawn and the budget is to continue as new', async (context) => {
    const { rig, between } = await openWithGoBetween({}, context);
    between.rewrite = (request, answer) => {
      if (request.method === 'POST') return RESET;
      return isList(request) ? { status: 503, body: 'later' } : answer;
    };
    const { handle, name: campaign } = await rig.start(sequences(1));
    await until(() => between.seen.some(isList));
    await rig.stopWorker();
    const { reference } = settingsOf(rig, 'predictions');
    const budget = rig.client.workflow.getHandle(buildBudgetWorkflowId(reference));
    const { runId: run } = await handle.describe();
    await budget.signal(withdrawRunSignal, { campaign, run });
    await Promise.all(Array.from({ length: 310 }, () => budget.signal(nudgeSignal)));
    const { runId } = await budget.describe();
    const redirect = (url: string) => url.replace(rig.services.url, between.url);
    await rig.startWorker(rig.settings.map((one) => ({ ...one, url: redirect(one.url) })));
    await until(async () => (await budget.describe()).runId !== runId, 60_000);
  });

  test.for(['current', 'earlier'] as const)(
    'is found by its name, and is not repeated, %s variant',
    async (variant, context) => {
      const { rig, between } = await openWithGoBetween({ variant }, context);
      loseAnswers(between);
      const count = 2 * LOST_ANSWERS.length + 1;
      const ran = await rig.run(sequences(count));
      expect(await codes(ran)).toEqual({ '': count });
      expect(accepted(rig), 'jobs at the service').toHaveLength(count);
      expect(between.posts().length, 'submissions sent').toBe(count);
      const tried = await Promise.all(ran.ids.map(async (id) => answered(ran, id)));
      const found = tried.filter((one) => one.slice(-2).join() === 'unsure,found');
      expect(found, 'items whose job was found').toHaveLength(LOST_ANSWERS.length);
    },
  );
});

describe.concurrent('a submission', () => {
  const late = { name: 'accept-late', service: 'predictions', ms: 2_500, times: 4 } as const;

  test.for<[string, FaultRule[]]>([
    // The look-ups are answered when the jobs are there.
    [
      'keeps its slot until the job is found',
      [{ name: 'error', service: 'predictions', endpoint: 'past-results', times: 9 }],
    ],
    ['is sent again in the same slot, and both are one job', []],
  ])('that is accepted after its client has left %s', async ([, faults], context) => {
    const limits = { limit: 4, windowMs: 3_000 };
    const rig = await openRig({ ...limits, faults: [late, ...faults] }, context);
    expect(await codes(await rig.run(sequences(12)))).toEqual({ '': 12 });
  });

  test('that never arrived is sent again under the same name, and creates only one job', async (context) => {
    const submit = { service: 'predictions', endpoint: 'submit', times: 1 } as const;
    const faults: FaultRule[] = [
      { name: 'reset', ...submit },
      { name: 'error', status: 500, ...submit },
      { name: 'hang', ms: 300, ...submit },
    ];
    const rig = await openRig({ faults }, context);
    const ran = await rig.run(sequences(4));
    expect(await codes(ran)).toEqual({ '': 4 });
    const tried = await Promise.all(ran.ids.map(async (id) => answered(ran, id)));
    // One item may meet two of the faults.
    const again = tried.flatMap((one) => one.join().match(/unsure,absent/g) ?? []);
    expect(again, 'submissions that never arrived').toHaveLength(3);
  });
});

/** The service keeps our jobs, but its list of past results omits them. */
async function withList(rig: Rig, between: GoBetween, list: Answer, ids: readonly string[]) {
  between.rule = (request) => {
    if (isList(request)) return list;
    return isSubmissionOf(request, 'poison') ? RESET : null;
  };
  between.rewrite = (request, answer) => {
    if (isSubmissionOf(request, 'forgotten') && answer.status === 200) return RESET;
    if (isSubmissionOf(request, 'named')) {
      return { status: 400, body: { error: 'A job with this job_name already exists.' } };
    }
    if (isSubmissionOf(request, 'bad')) return { status: 400, body: { error: 'Not a protein.' } };
    return answer;
  };
  const before = accepted(rig).length;
  const ran = await rig.run(named(...ids));
  return { ran, jobs: accepted(rig).length - before };
}

async function endOf(ran: Ran, id: string): Promise<string> {
  const { state, error_code: code } = await rowOf(ran, id);
  return `${state} ${code}`.trim();
}

describe.concurrent('a service that does not list the jobs of its token', () => {
  test('lists nothing: an item whose name is in use is held, and no item is sent indefinitely', async (context) => {
    const policy = { retryMs: 2_500 };
    const { rig, between } = await openWithGoBetween({ policy }, context);
    const ids = ['forgotten', 'named', 'bad', 'poison', 'good'];
    const { ran } = await withList(rig, between, { status: 200, body: [] }, ids);
    // Accepted; then absent from the list; then refused by its name: the proof that the service has it.
    expect(await endOf(ran, 'forgotten')).toBe('held SUBMIT_TAKEN');
    expect(await answered(ran, 'forgotten')).toEqual(['unsure', 'absent', 'refused']);
    expect((await rowOf(ran, 'forgotten'))['error']).toContain('already used by another job');
    expect(await endOf(ran, 'named')).toBe('held SUBMIT_TAKEN');
    expect(await endOf(ran, 'bad')).toBe('failed SUBMIT_REFUSED');
    expect((await rowOf(ran, 'bad'))['error']).toBe('Not a protein.');
    expect(await endOf(ran, 'poison')).toBe('held SUBMIT_UNSURE');
    expect(await endOf(ran, 'good')).toBe('succeeded');
    const poisoned = between.posts().filter((request) => isSubmissionOf(request, 'poison'));
    expect(poisoned.length, 'submissions of an item that is never answered').toBeLessThanOrEqual(5);
  });

  test('has no list, a list without names, or no answer: items are held, and not sent twice', async (context) => {
    const policy = { deadlineMs: 3_000 };
    const { rig, between } = await openWithGoBetween({ policy }, context);
    const lists: Answer[] = [
      { status: 404, body: 'no such page' },
      { status: 200, body: [{ request_id: 'abc-1', status: 'FINISHED' }] },
      { status: 503, body: 'later' },
    ];
    for (const list of lists) {
      const { ran, jobs } = await withList(rig, between, list, ['forgotten', 'bad']);
      const says = JSON.stringify(list);
      expect(await endOf(ran, 'forgotten'), says).toBe('held SUBMIT_UNSURE');
      expect(await endOf(ran, 'bad'), says).toBe('failed SUBMIT_REFUSED');
      expect(await answered(ran, 'forgotten'), says).toEqual(['unsure']);
      expect(jobs, `jobs at the service that this campaign made, with ${says}`).toBe(2);
    }
  });
});

describe.concurrent('the molecule service, where jobs have no names', () => {
  const reset = { name: 'reset', service: 'molecules', endpoint: 'submit' } as const;

  test('holds uncertain jobs, without a second submission', async (context) => {
    const after = { name: 'error-after', service: 'molecules', times: 1 } as const;
    const rig = await openRig({ faults: [after, { ...reset, times: 1 }] }, context);
    expect(await codes(await rig.run(molecules(4)))).toEqual({ '': 2, SUBMIT_UNSURE: 2 });
    expect(rig.services.journal(), 'submissions sent').toHaveLength(4);
  });

  test('gets an uncertain job once more with `resubmit`, and not a third time', async (context) => {
    const policy = { whenUnsure: 'resubmit' } as const;
    const rig = await openRig({ policy, faults: [{ ...reset, times: 3 }] }, context);
    expect(await codes(await rig.run(molecules(2)))).toEqual({ '': 1, SUBMIT_UNSURE: 1 });
    expect(rig.services.journal(), 'submissions sent').toHaveLength(4);
  });
});
