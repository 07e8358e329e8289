/** A store whose calls are measured. Listings are not: their duration depends on the reader. */
import type { StagedFile, Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import type { WorkerMetrics } from './metrics.ts';

const MEASURED = [
  ...(['write', 'stage', 'create', 'flush', 'adopt', 'remove'] as const),
  ...(['read', 'readText', 'digest', 'exists'] as const),
] as const;

type Measured = (typeof MEASURED)[number];
type Call = (this: Store, ...args: unknown[]) => Promise<unknown>;

/** The store behind a measured one: `adopt` is more efficient between stores of the same type. */
const BEHIND = new WeakMap<object, Store>();

export function observedStore(store: Store, metrics: WorkerMetrics): Store {
  const observed = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const call = value as Call;
      if (!isMeasured(name)) return call.bind(target);
      return async (...args: unknown[]) => {
        const result = await timed(metrics, name, () => call.apply(target, args.map(behind)));
        return name === 'stage' ? observedFile(result as StagedFile, metrics) : result;
      };
    },
  });
  BEHIND.set(observed, store);
  return observed;
}

function observedFile(staged: StagedFile, metrics: WorkerMetrics): StagedFile {
  return {
    create: () => timed(metrics, 'create', () => staged.create()),
    discard: () => staged.discard(),
  };
}

function isMeasured(name: string | symbol): name is Measured {
  return (MEASURED as readonly (string | symbol)[]).includes(name);
}

function behind(arg: unknown): unknown {
  return typeof arg === 'object' && arg !== null ? (BEHIND.get(arg) ?? arg) : arg;
}

async function timed<T>(
  metrics: WorkerMetrics,
  operation: Measured,
  call: () => Promise<T>,
): Promise<T> {
  const began = performance.now();
  const note = (outcome: string): void =>
    metrics.storeCall(operation, outcome, (performance.now() - began) / 1_000);
  try {
    const result = await call();
    note('ok');
    return result;
  } catch (error) {
    // An error of the sender of the data, or an abort, is not an error of the store.
    if (error instanceof StoreError) note(error.code);
    throw error;
  }
}
