/**
 * All interleavings of three senders of one row, as steps on its record and its note (activities/submit.ts, sending-note.ts,
 * conclude.ts). Each step is one operation of the store or the answer to a POST; a sender may die before any of them.
 */
import { expect, test } from 'vitest';

const SENDERS = 3;
/** How often a sender tries again after a 429. */
const AGAIN = 1;

interface Sender {
  /** The next step; `null` when it is done or dead. */
  readonly at: 'record' | 'note' | 'make' | 'look' | 'post' | 'settle' | 'end' | 'clean' | null;
  readonly again: number;
  /** The answer to its POST, or what the note told. */
  readonly outcome: Outcome | null;
}

type Outcome = 'accepted' | 'refused' | 'notNow' | 'unsure';

interface State {
  readonly ended: boolean;
  readonly hasId: boolean;
  /** null: there is none; `maker` -1 is dead or forgotten. */
  readonly note: { readonly maker: number; readonly outcome: Outcome | null } | null;
  readonly senders: readonly Sender[];
  readonly jobs: number;
  /** A POST had a final answer. */
  readonly answered: boolean;
}

/** What the protocol leaves out, to see that it is needed. */
type Without = 'end first' | 'look again' | 'kept notes' | 'own notes' | 'ended records';

const BEGINS: Sender = { at: 'record', again: 0, outcome: null };
const FIRST: State = {
  ended: false,
  hasId: false,
  note: null,
  senders: Array.from({ length: SENDERS }, () => BEGINS),
  jobs: 0,
  answered: false,
};

function* stepsOf(state: State, n: number, without: Without | null): Generator<State> {
  const sender = state.senders[n] as Sender;
  const to = (own: Partial<Sender>, all: Partial<State> = {}): State => ({
    ...state,
    ...all,
    senders: state.senders.map((one, i) => (i === n ? { ...one, ...own } : one)),
  });
  if (sender.at === null) return;
  // It dies.
  yield to({ at: null });
  const mayNotSend = state.hasId || (state.ended && without !== 'ended records');
  switch (sender.at) {
    case 'record':
      yield to({ at: mayNotSend ? null : 'note' });
      return;
    case 'note':
      if (state.note) yield to({ at: 'end', outcome: state.note.outcome ?? 'unsure' });
      else yield to({ at: 'make' });
      return;
    case 'make':
      if (state.note && without === 'own notes') yield to({ at: 'settle', outcome: 'notNow' });
      else if (state.note) yield to({ at: 'note' });
      else {
        const at = without === 'look again' ? 'post' : 'look';
        yield to({ at }, { note: { maker: n, outcome: null } });
      }
      return;
    case 'look':
      if (mayNotSend) yield to({ at: null }, { note: null });
      else yield to({ at: 'post' });
      return;
    case 'post':
      for (const outcome of ['accepted', 'refused', 'notNow', 'unsure'] as const) {
        const answered = state.answered || outcome !== 'notNow';
        const jobs = outcome === 'accepted' ? state.jobs + 1 : state.jobs;
        yield to({ at: 'settle', outcome }, { jobs, answered });
        // The job was made, and the answer was lost.
        if (outcome === 'unsure') yield to({ at: 'settle', outcome }, { jobs: jobs + 1, answered });
      }
      return;
    case 'settle': {
      const { outcome, again } = sender;
      const isOwn = state.note?.maker === n || without === 'own notes';
      const gone = isOwn ? null : state.note;
      // To try again, it begins from the record.
      if (outcome === 'notNow')
        yield to({ at: again < AGAIN ? 'record' : null, again: again + 1 }, { note: gone });
      else if (without === 'kept notes') yield to({ at: 'end' }, { note: gone });
      else yield to({ at: 'end' }, { note: state.note && { ...state.note, outcome } });
      return;
    }
    // The item begins with the outcome, and ends: accepted and fetched, refused, or held.
    case 'end':
      if (without === 'end first') yield to({ at: 'clean' }, { note: null });
      else yield to({ at: 'clean' }, { ended: true, hasId: sender.outcome === 'accepted' });
      return;
    case 'clean':
      if (without === 'end first')
        yield to({ at: null }, { ended: true, hasId: sender.outcome === 'accepted' });
      else yield to({ at: null }, { note: null });
  }
}

/** Somebody ends the row at any time: it is cancelled, or ended by hand. */
function* endings(state: State): Generator<State> {
  if (!state.ended) yield { ...state, ended: true };
  else if (state.note) yield { ...state, note: null };
}

/** What is broken in the first such state that can be reached; empty if nothing is. */
function broken(without: Without | null = null): { faults: ReadonlySet<string>; states: number } {
  const faults = new Set<string>();
  const seen = new Set<string>();
  const left = [FIRST];
  for (let state = left.pop(); state; state = left.pop()) {
    const key = JSON.stringify(state);
    if (seen.has(key)) continue;
    seen.add(key);
    if (state.jobs > 1) faults.add('two jobs');
    if (faults.size > 0) break;
    for (const n of state.senders.keys()) {
      for (const next of stepsOf(state, n, without)) {
        if (state.senders[n]?.at === 'post' && next.senders[n]?.at === 'settle' && state.answered)
          faults.add('sent again after a final answer');
        left.push(next);
      }
    }
    left.push(...endings(state));
  }
  return { faults, states: seen.size };
}

test('three senders of a row make at most one job, whenever one dies and whoever ends the row', () => {
  const { faults, states } = broken();
  expect([...faults]).toEqual([]);
  expect(states).toBeGreaterThan(5_000);
});

test.each(['end first', 'look again', 'kept notes', 'own notes', 'ended records'] as const)(
  'without %s they do not',
  (without) => {
    expect([...broken(without).faults]).not.toEqual([]);
  },
);
