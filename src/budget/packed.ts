/**
 * How charges are written: into the memo of a budget, and into what it carries through continue-as-new. Each submission
 * rewrites the memo, and Temporal refuses payloads of more than 2 MB, which 140,000 charges would be.
 *
 * Up to 1,000 charges of a window are written one by one. More are grouped: all that closed within the same
 * five-hundredth of the window count as closed at its end. So a slot may become free that much later, and never earlier.
 */
import type { CredentialState, Budget } from './state.ts';
import type { BudgetSnapshot } from './status.ts';
import type { Window } from './window.ts';

const ONE_BY_ONE = 1_000;
const STEPS = 500;

/** Charges that count as closed at the same time (ms); in a snapshot also the index of their campaign (`UseSnapshot`). */
type Run = readonly [close: number, count: number, owner?: number];

/** Times of closes, ascending (ms). */
type Times = readonly number[] | { readonly runs: readonly Run[] };

type WithTimes<T> = Omit<T, 'closes'> & { readonly closes: Times };

type Use = NonNullable<CredentialState['uses']>[string];

interface CarriedCredential extends Omit<CredentialState, 'window' | 'uses'> {
  readonly window: WithTimes<Window>;
  readonly uses?: Readonly<Record<string, WithTimes<Use>>>;
}

/** The state of a budget as it is carried through continue-as-new. */
export interface CarriedBudget extends Omit<Budget, 'address' | 'credentials'> {
  readonly address: WithTimes<Window>;
  readonly credentials: Readonly<Record<string, CarriedCredential>>;
}

type Credential = BudgetSnapshot['credentials'][number];

/** The snapshot of a budget as its memo has it. */
export interface WrittenBudget extends Omit<BudgetSnapshot, 'addressWindow' | 'credentials'> {
  readonly addressWindow: WithTimes<BudgetSnapshot['addressWindow']>;
  readonly credentials: readonly WithTimes<Credential>[];
}

export function packState(state: Budget): CarriedBudget {
  const { address, credentials } = state;
  return {
    ...state,
    address: packWindow(address),
    credentials: mapped(credentials, ({ window, uses, ...rest }) => ({
      ...rest,
      window: packWindow(window),
      ...(uses && {
        uses: isLarge(window) ? mapped(uses, (use) => packed(use, window.windowMs)) : uses,
      }),
    })),
  };
}

export function unpackState({ address, credentials, ...state }: CarriedBudget): Budget {
  return {
    ...state,
    address: unpacked<Window>(address),
    credentials: mapped(credentials, ({ window, uses, ...rest }) => ({
      ...rest,
      window: unpacked<Window>(window),
      ...(uses && { uses: mapped(uses, (use) => unpacked<Use>(use)) }),
    })),
  };
}

export function packSnapshot(snapshot: BudgetSnapshot): WrittenBudget {
  return {
    ...snapshot,
    addressWindow: packWindow(snapshot.addressWindow),
    credentials: snapshot.credentials.map((credential) => {
      if (!isLarge(credential)) return credential;
      const { closes, windowMs, use } = credential;
      const runs = runsOf(closes, windowMs, use?.owners);
      return { ...credential, closes: { runs }, ...(use && { use: { ...use, owners: [] } }) };
    }),
  };
}

export function unpackSnapshot(written: WrittenBudget): BudgetSnapshot {
  return {
    ...written,
    addressWindow: unpacked<BudgetSnapshot['addressWindow']>(written.addressWindow),
    credentials: written.credentials.map((credential) => {
      const { closes, use } = credential;
      const owners = 'runs' in closes ? closes.runs.flatMap(ownersOf) : (use?.owners ?? []);
      return { ...unpacked<Credential>(credential), ...(use && { use: { ...use, owners } }) };
    }),
  };
}

/** Ascending, in ms. */
export function unpackTimes(times: Times): number[] {
  if (!('runs' in times)) return [...times];
  return times.runs.flatMap(([close, count]) => Array<number>(count).fill(close));
}

function ownersOf([, count, owner = -1]: Run): number[] {
  return Array<number>(count).fill(owner);
}

function isLarge({ closes }: { readonly closes: readonly number[] }): boolean {
  return closes.length > ONE_BY_ONE;
}

function packWindow<T extends { readonly closes: readonly number[]; readonly windowMs: number }>(
  window: T,
): WithTimes<T> {
  return isLarge(window) ? packed(window, window.windowMs) : window;
}

function packed<T extends { readonly closes: readonly number[] }>(
  of: T,
  windowMs: number,
): WithTimes<T> {
  return { ...of, closes: { runs: runsOf(of.closes, windowMs) } };
}

function unpacked<T>(of: WithTimes<T>): Omit<T, 'closes'> & { closes: number[] } {
  return { ...of, closes: unpackTimes(of.closes) };
}

/** `owners`: one for each close. Those of one run are put in order: which of them closed first is not kept. */
function runsOf(closes: readonly number[], windowMs: number, owners?: readonly number[]): Run[] {
  const step = Math.max(1, Math.ceil(windowMs / STEPS));
  const runs: Run[] = [];
  for (let from = 0; from < closes.length;) {
    const end = Math.ceil((closes[from] ?? 0) / step) * step;
    const counts = new Map<number, number>();
    let to = from;
    for (; to < closes.length && (closes[to] ?? 0) <= end; to += 1) {
      const owner = owners?.[to] ?? -1;
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
    for (const [owner, count] of counts) runs.push(owners ? [end, count, owner] : [end, count]);
    from = to;
  }
  return runs;
}

function mapped<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
