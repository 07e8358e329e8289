/** Watches the functions of a definition while they are used: equal arguments must give equal values, and nothing else. */
import type { Service } from '../../services/service.ts';

/** What is wrong with a definition, in a sentence. */
export interface Fault {
  readonly code: FaultCode;
  /** The function or the answer concerned. */
  readonly where: string;
  readonly message: string;
}

/** By code: what is wrong, for the documentation. */
export const FAULTS = {
  DEFINITION_WRONG: 'a part of the definition is missing, or has a wrong form',
  EXAMPLE_REFUSED: 'the kind refuses its own example, so that nothing can be shown with it',
  NOT_PURE:
    'a function asks for the time, chance or the network, remembers, or changes what it was given',
  THROWS: 'a function throws',
  REQUEST_ELSEWHERE: 'the job is submitted outside the address of the service',
  REQUEST_SAYS_TOO_LITTLE:
    'the submission lacks the input or the name of the job, or is the same for another input',
  REQUEST_HAS_SECRET: 'a secret stands in the definition, and not in `auth`',
  ID_FROM_NOTHING:
    'an answer without an id counts as an accepted job: it would be lost, and paid for',
  NOTHING_BELIEVED: 'an empty or unknown answer counts as a job that runs or has finished',
  OUTAGE_BELIEVED: 'an error of the server (5xx) counts as the end of a job, or as no job',
  LIST_BELIEVED:
    'a list that does not show names counts as complete: a job would be submitted twice',
  DAMAGE_BELIEVED: 'an empty, cut or foreign result is accepted',
  JOB_FAILED: 'the example does not come back as a result that is accepted',
  IDENTITY_FALSE: 'what `identity` promises is not what the service does',
} as const;
export type FaultCode = keyof typeof FAULTS;

type Callable = (...args: readonly unknown[]) => unknown;

export class Watch {
  readonly service: Service;
  /** What the last function that reads an answer has said. */
  said: unknown;
  readonly #faults = new Map<string, Fault>();

  constructor(service: Service) {
    const { submit, poll, fetch, list, probe } = service;
    const watched = Object.entries({ submit, poll, fetch, list, probe });
    this.service = {
      ...service,
      ...Object.fromEntries(watched.map(([name, part]) => [name, this.#over(part, name)])),
    };
  }

  get faults(): readonly Fault[] {
    return [...this.#faults.values()];
  }

  report(code: FaultCode, where: string, message: string): void {
    // A function has a fault once, however often it is called.
    this.#faults.set(`${code} ${where}`, { code, where, message });
  }

  #over(part: unknown, where: string): unknown {
    if (typeof part === 'function') return this.#around(part as Callable, where);
    if (!isPlain(part) || Array.isArray(part)) return part;
    const entries = Object.entries(part);
    return Object.fromEntries(
      entries.map(([key, value]) => [key, this.#over(value, `${where}.${key}`)]),
    );
  }

  #around(call: Callable, where: string): Callable {
    const around = (...args: readonly unknown[]): unknown => {
      args.forEach(freeze);
      const [first, second] = [this.#call(call, args, where), this.#call(call, args, where)];
      if (JSON.stringify(first) !== JSON.stringify(second))
        this.report('NOT_PURE', where, 'equal arguments give other values: it remembers something');
      if (first instanceof Promise)
        this.report('NOT_PURE', where, 'it gives a promise: it must answer at once');
      if (where.endsWith('.answers')) return this.#over(first, where);
      if (where.includes('.answers')) this.said = first;
      return first;
    };
    // The client asks how many parameters a function names.
    return Object.defineProperty(around, 'length', { value: call.length });
  }

  #call(call: Callable, args: readonly unknown[], where: string): unknown {
    const used = new Set<string>();
    const restore = TRAPS.map(([target, name]) => trap(target, name, () => used.add(name)));
    try {
      return call(...args);
    } catch (error) {
      if (used.size > 0) return null;
      const message = error instanceof Error ? error.message : String(error);
      const changes = /read only|read-only|not extensible|Cannot (?:delete|define|assign)/.test(
        message,
      );
      if (changes) this.report('NOT_PURE', where, `it changes what it was given: ${message}`);
      else this.report('THROWS', where, message);
      return null;
    } finally {
      for (const undo of restore) undo();
      if (used.size > 0)
        this.report('NOT_PURE', where, `it uses ${[...used].join(', ')}: the engine does that`);
    }
  }
}

const TRAPS: readonly (readonly [object, string])[] = [
  [Date, 'now'],
  [Math, 'random'],
  [performance, 'now'],
  [crypto, 'randomUUID'],
  [crypto, 'getRandomValues'],
  ...['Date', 'fetch', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'].map(
    (name) => [globalThis, name] as const,
  ),
];

/** For the time of one synchronous call, in which nothing else runs. */
function trap(target: object, name: string, onUse: () => void): () => void {
  const own = Object.getOwnPropertyDescriptor(target, name);
  const refuse = (): never => {
    onUse();
    throw new Error(`${name} is not there`);
  };
  // A date of a text is as pure as the text.
  const value =
    name === 'Date'
      ? new Proxy(Date, {
          apply: refuse,
          construct: (date, args) =>
            args.length === 0 ? refuse() : (Reflect.construct(date, args) as Date),
        })
      : refuse;
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
  return () => {
    if (own) Object.defineProperty(target, name, own);
    else Reflect.deleteProperty(target, name);
  };
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Array.isArray(value);
}

function freeze(value: unknown): void {
  if (!isPlain(value) || Object.isFrozen(value)) return;
  Object.freeze(value);
  Object.values(value).forEach(freeze);
}
