/**
 * Faults by name: what a service, a proxy or a network does wrong, switched on by rules. `docs/faults.md` has the
 * list with examples. A rule fires for each request that it matches, until `times` are used up.
 */
import { SERVICES, type ServiceName } from '../domain/item.ts';
import { Refusal } from './refusal.ts';
import { seededRandom } from './seeded-random.ts';

/** Where in the life of a request a fault strikes. */
export type Stage = 'listener' | 'clock' | 'before' | 'acceptance' | 'after';

/** Every fault, where it strikes, and the endpoints it strikes when the rule names none (null = all of them). */
export const FAULTS = {
  /** Connections are refused for `ms` (default: until the faults are cleared). */
  refuse: { stage: 'listener', endpoints: null },
  /** All times told to clients, the `Date` header included, are `ms` off. */
  skew: { stage: 'clock', endpoints: null },
  /** No answer; nothing is accepted. The connection is cut after `ms`, if given. */
  hang: { stage: 'before', endpoints: null },
  /** The connection is reset before anything is accepted. */
  reset: { stage: 'before', endpoints: null },
  /** The answer comes `ms` late (default 1000). */
  slow: { stage: 'before', endpoints: null },
  /** `status` (default 503), with `retryAfter` if given; nothing is accepted. */
  error: { stage: 'before', endpoints: null },
  /** 429, with Retry-After `retryAfter` (default 1 s) or, with `retryAfter: null`, without; nothing is accepted. */
  'rate-limit': { stage: 'before', endpoints: ['submit'] },
  /** `status` (default 400); nothing is accepted. */
  reject: { stage: 'before', endpoints: ['submit'] },
  /** The accepted job is unknown from then on. */
  lose: { stage: 'acceptance', endpoints: ['submit'] },
  /** The accepted job fails in the worker. */
  fail: { stage: 'acceptance', endpoints: ['submit'] },
  /** The accepted job's worker never reports and never ends. */
  'stuck-heartbeat': { stage: 'acceptance', endpoints: ['submit'] },
  /** The work is done, the job accepted, and no answer comes. */
  'hang-after': { stage: 'after', endpoints: ['submit'] },
  /** The work is done, the job accepted, and the connection is reset. */
  'reset-after': { stage: 'after', endpoints: ['submit'] },
  /** The work is done, the job accepted, and the answer is `status` (default 502). */
  'error-after': { stage: 'after', endpoints: ['submit'] },
  /** The connection is cut after half of the announced bytes. */
  truncate: { stage: 'after', endpoints: null },
  /** The right body, labelled text/html. */
  'wrong-type': { stage: 'after', endpoints: null },
  /** A 200 with an HTML page, as a proxy gives. */
  garble: { stage: 'after', endpoints: null },
  /** The first decimal number of the body becomes NaN, which is not JSON. */
  nan: { stage: 'after', endpoints: ['results', 'download'] },
  /** The body lacks the key `key` (default: the one a client needs most). */
  'missing-key': { stage: 'after', endpoints: ['results'] },
  /** The token of the submission stands in every place of the answer, in every spelling; see `echo-token.ts`. */
  'echo-token': { stage: 'after', endpoints: null },
  /** past-results answers an empty list. */
  'forget-past-results': { stage: 'after', endpoints: ['past-results'] },
} as const satisfies Record<string, { stage: Stage; endpoints: readonly Endpoint[] | null }>;

export type FaultName = keyof typeof FAULTS;

/** `status` is a look at an unfinished job, `results` at one that has ended. */
export const ENDPOINTS = [
  'submit',
  'status',
  'results',
  'history',
  'download',
  'past-results',
] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

export interface FaultRule {
  readonly name: FaultName;
  /** Default: both. */
  readonly service?: ServiceName;
  /** Default: those that the fault is about. */
  readonly endpoint?: Endpoint;
  /** Firings before the rule is spent; default: without end. */
  readonly times?: number;
  /** Chance that a matching request is struck, 0 to 1; default 1. */
  readonly probability?: number;
  /** Makes the chances repeatable. */
  readonly seed?: number;
  readonly status?: number;
  readonly ms?: number;
  /** Seconds. */
  readonly retryAfter?: number | null;
  /** For `missing-key` and `echo-token`. */
  readonly key?: string;
}

interface Armed {
  readonly rule: FaultRule;
  left: number;
  readonly random: () => number;
}

export class Faults {
  #armed: Armed[] = [];
  /** Told of every change of the rules: the listener's faults need no request to strike. */
  onChange: () => void = () => undefined;

  /** Replaces all rules. */
  set(rules: readonly FaultRule[]): void {
    this.#armed = rules.map(arm);
    this.onChange();
  }

  add(rule: FaultRule): void {
    this.#armed.push(arm(rule));
    this.onChange();
  }

  clear(): void {
    this.set([]);
  }

  /** The rules with the firings that each has left (null = without end). */
  list(): (FaultRule & { readonly left: number | null })[] {
    return this.#armed.map(({ rule, left }) => ({
      ...rule,
      left: Number.isFinite(left) ? left : null,
    }));
  }

  get active(): boolean {
    return this.#armed.length > 0;
  }

  /** The rule of a fault without requests (`refuse`, `skew`) that is on. */
  standing(name: 'refuse' | 'skew'): FaultRule | undefined {
    return this.#armed.find(({ rule }) => rule.name === name)?.rule;
  }

  /**
   * The rules of a stage that strike this request, in their order; each has one firing fewer when it was taken, so
   * that a rule behind one that answered is not spent.
   */
  *strike(
    stage: Stage,
    service: ServiceName,
    endpoint: Endpoint,
    applies: (name: FaultName) => boolean = () => true,
  ): Generator<FaultRule, undefined> {
    for (const armed of this.#armed) {
      const { rule } = armed;
      if (armed.left <= 0 || FAULTS[rule.name].stage !== stage || !applies(rule.name)) continue;
      if ((rule.service ?? service) !== service || !strikes(rule, endpoint)) continue;
      if (armed.random() >= (rule.probability ?? 1)) continue;
      armed.left -= 1;
      yield rule;
    }
    return undefined;
  }
}

function strikes(rule: FaultRule, endpoint: Endpoint): boolean {
  if (rule.endpoint !== undefined) return rule.endpoint === endpoint;
  const endpoints: readonly Endpoint[] | null = FAULTS[rule.name].endpoints;
  return endpoints === null || endpoints.includes(endpoint);
}

function arm(rule: FaultRule): Armed {
  const names = Object.keys(FAULTS).join(', ');
  if (!Object.hasOwn(FAULTS, rule.name)) {
    throw new Refusal(400, `Unknown fault "${rule.name}"; the faults are ${names}.`);
  }
  if (rule.endpoint !== undefined && !ENDPOINTS.includes(rule.endpoint)) {
    throw new Refusal(
      400,
      `Unknown endpoint "${rule.endpoint}"; they are ${ENDPOINTS.join(', ')}.`,
    );
  }
  if (rule.service !== undefined && !SERVICES.includes(rule.service)) {
    throw new Refusal(400, `Unknown service "${rule.service}"; they are ${SERVICES.join(', ')}.`);
  }
  const random = rule.seed === undefined ? Math.random : seededRandom(rule.seed);
  return { rule, left: rule.times ?? Number.POSITIVE_INFINITY, random };
}
