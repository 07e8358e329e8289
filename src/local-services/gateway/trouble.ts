/** Determines which personality is active, and its effect on a request. Has the state, but no sockets. */
import { seededRandom } from '../seeded-random.ts';
import {
  checkedRule,
  jobOf,
  NOT_FOUND,
  uniformAnswer,
  type GatewayAnswer,
  type GatewayName,
  type GatewayRequest,
  type GatewayRule,
} from './personalities.ts';

/** Shortest delay of `slow-answers`, in ms. */
const SHORTEST_DELAY_MS = 30;

/** The effect on a request: the gateway responds itself, or relays the request and delays its response. */
type Treatment = { readonly answer: GatewayAnswer } | { readonly holdMs: number };

const PASS: Treatment = { holdMs: 0 };

export class Trouble {
  readonly #now: () => number;
  readonly #acceptedAt: (job: string) => number | null;
  #rule: GatewayRule | null = null;
  #setAt = 0;
  #random: () => number = Math.random;

  /**
   * @param now ms since the epoch
   * @param acceptedAt when a job was accepted, on the same clock; null for an unknown id
   */
  constructor(now: () => number, acceptedAt: (job: string) => number | null) {
    this.#now = now;
    this.#acceptedAt = acceptedAt;
  }

  /** Replaces the rule from now on. Throws a 400 for an invalid rule; the old one then stays. */
  set(rule: GatewayName | GatewayRule | null): void {
    this.#rule = rule === null ? null : checkedRule(rule);
    this.#setAt = this.#now();
    this.#random = seededRandom(this.#rule?.seed ?? 1);
  }

  /** The rule, and whether it is active at this moment. */
  state(): { readonly rule: GatewayRule | null; readonly inForce: boolean } {
    return { rule: this.#rule, inForce: this.#inForce() !== null };
  }

  treat(request: GatewayRequest): Treatment {
    const rule = this.#inForce();
    if (rule === null) return PASS;
    const answer = uniformAnswer(rule.name, request);
    if (answer !== null) return { answer };
    if (rule.name === 'slow-answers') {
      if (request.method !== 'POST') return PASS;
      const longest = Math.max(rule.ms ?? 2_500, SHORTEST_DELAY_MS);
      return { holdMs: SHORTEST_DELAY_MS + this.#random() * (longest - SHORTEST_DELAY_MS) };
    }
    return this.#flaps(rule, request) ? { answer: NOT_FOUND } : PASS;
  }

  #inForce(): GatewayRule | null {
    const rule = this.#rule;
    if (rule === null) return null;
    const since = this.#now() - this.#setAt - (rule.afterMs ?? 0);
    return since >= 0 && since < (rule.forMs ?? Number.POSITIVE_INFINITY) ? rule : null;
  }

  /** As behind a load balancer with a server that does not have the job yet. */
  #flaps(rule: GatewayRule, request: GatewayRequest): boolean {
    const job = jobOf(request);
    const acceptedAt = job === null ? null : this.#acceptedAt(job);
    if (acceptedAt === null) return false;
    if (this.#now() - acceptedAt < (rule.ms ?? 3_000)) return true;
    return this.#random() < (rule.probability ?? 0.25);
  }
}
