/** Watches the functions of a definition while they are used: equal arguments must give equal values, and nothing else. */
import { OUTCOMES } from '../../services/answers.ts';
import type { Service } from '../../services/service.ts';

/** What is wrong with a definition. */
export interface Fault {
  readonly code: FaultCode;
  /** The function or the step concerned. */
  readonly where: string;
  readonly found: readonly string[];
  readonly remedy: string;
}

/** By code: why it is wrong, and what to change. */
const REMEDIES = {
  SECRET_UNKNOWN: 'Declare it in `secrets`, or correct its name in `auth`.',
  EXAMPLE_MISSING: "Write examples: [{ text: '…' }], an input that the service accepts.",
  EXAMPLE_REFUSED: 'The kind refuses its own example: correct `examples`, or `input.read`.',
  INPUTS_CONFUSED: 'One row would get the result of another: keep more in `canonical`.',
  NOT_PURE: 'Compute from the arguments alone; secrets go into `auth`, settings into `config`.',
  NO_OUTCOME: 'Return one of the named types, or null.',
  THROWS: 'Return null for what is not understood.',
  REQUEST_ELSEWHERE: "Write a path below the address of the service: ['api', 'run'].",
  REQUEST_SAYS_TOO_LITTLE: 'Send the whole input and, if `identity` is by name or list, the name.',
  REQUEST_HAS_SECRET: 'It would be stored: declare it in `secrets`, and name it in `auth`.',
  ID_FROM_NOTHING: 'A job without an id is paid for and lost: return null if there is none.',
  NOTHING_BELIEVED: 'It says nothing of a job: return null unless you know its words.',
  ROW_BLAMED: 'It concerns all rows, which would fail: leave it out of the table.',
  OUTAGE_BELIEVED: 'A 5xx ends no job, and there may be one: leave it out.',
  LIST_BELIEVED: 'A job would be sent twice: return null for what is no list with names.',
  DAMAGE_BELIEVED: 'It would be delivered: let `check` compare the result with the input.',
  IDENTITY_FALSE: "A job would be lost or doubled: if in doubt, write { by: 'nothing' }.",
} as const;
export type FaultCode = keyof typeof REMEDIES;

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

  readonly report = (code: FaultCode, where: string, message: string): void => {
    const key = `${code} ${where}`;
    // A function is called often.
    const found = new Set([...(this.#faults.get(key)?.found ?? []), message]);
    this.#faults.set(key, { code, where, found: [...found], remedy: REMEDIES[code] });
  };

  #over(part: unknown, where: string): unknown {
    if (typeof part === 'function') return this.#around(part as Callable, where);
    if (!isPlain(part) || Array.isArray(part)) return part;
    const entries = Object.entries(part);
    return Object.fromEntries(
      entries.map(([key, value]) => [key, this.#over(value, `${where}.${key}`)]),
    );
  }

  #around(call: Callable, where: string): Callable {
    return (...args) => {
      args.forEach(freeze);
      const first = this.#call(call, args, where);
      const second = runElsewhere(() => this.#call(call, args, where));
      if (JSON.stringify(first) !== JSON.stringify(second))
        this.report('NOT_PURE', where, 'equal arguments give other values');
      if (first instanceof Promise) this.report('NOT_PURE', where, 'it gives a promise');
      if (where.endsWith('.answers')) return this.#over(first, where);
      if (where.includes('.answers.')) this.#hear(first, where);
      return first;
    };
  }

  #hear(said: unknown, where: string): void {
    this.said = said;
    const types: readonly unknown[] = OUTCOMES[where.split('.')[0] as keyof typeof OUTCOMES];
    if (said !== null && !types.includes((said as { type?: unknown } | undefined)?.type))
      this.report('NO_OUTCOME', where, `${JSON.stringify(said)}; types: ${types.join(', ')}`);
  }

  #call(call: Callable, args: readonly unknown[], where: string): unknown {
    try {
      return call(...args);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const isChange = /read[ -]only|not extensible|Cannot (?:delete|define|assign)/.test(message);
      if (isChange) this.report('NOT_PURE', where, `it changes what it was given: ${message}`);
      else this.report('THROWS', where, message);
      return null;
    }
  }
}

/** One synchronous call at another time, without an environment. What is random differs as well. */
function runElsewhere<T>(call: () => T): T {
  const { Date: Clock } = globalThis;
  const { env } = process;
  globalThis.Date = new Proxy(Clock, {
    get: (clock, key) => (key === 'now' ? () => 0 : Reflect.get(clock, key)) as unknown,
    // A date of a text is as pure as the text.
    construct: (clock, args) => new clock(...((args.length === 0 ? [0] : args) as [number])),
  });
  process.env = {};
  try {
    return call();
  } finally {
    globalThis.Date = Clock;
    process.env = env;
  }
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
