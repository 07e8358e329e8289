/**
 * The faults of docs/faults.md for a storm, and what each may do to an item. Any other fault must not fail an item: it
 * costs time, never a row.
 */
import type {
  FaultName,
  FaultRule,
  GatewayFault,
} from '../../packages/local-services/src/faults.ts';
import type { Random } from './random.ts';

/**
 * `reject` is not included: it refuses good rows permanently, which a campaign can only report. The others have tests of
 * their own: `echo-token` prevents no delivery, and a gateway stops the whole campaign.
 */
type NoStorm = GatewayFault | 'reject' | 'echo-token' | 'unknown' | 'slow-after';
type StormFault = Exclude<FaultName, NoStorm>;

const WEIGHTS: Readonly<Record<StormFault, number>> = {
  refuse: 2,
  skew: 1,
  hang: 2,
  reset: 3,
  slow: 2,
  error: 3,
  'rate-limit': 3,
  lose: 1,
  fail: 2,
  'kill-engine': 1,
  'stuck-heartbeat': 0.4,
  'accept-late': 2,
  'hang-after': 2,
  'reset-after': 3,
  'error-after': 2,
  truncate: 2,
  'wrong-type': 1,
  garble: 2,
  nan: 1,
  'missing-key': 1,
  'forget-past-results': 1,
};

interface FaultSpell {
  readonly rules: readonly FaultRule[];
  readonly forMs: number;
}

export function randomSpell(random: Random): FaultSpell {
  const name = random.weighted(WEIGHTS);
  const rule = ruleOf(name, random);
  // Submissions come in bursts, a window apart: a rule with few firings waits for one. A service that refuses
  // connections cannot be told to stop: that rule ends by itself.
  const lasting = rule.times === undefined ? random.int(1_000, 8_000) : random.int(5_000, 10_000);
  const forMs = name === 'refuse' ? (rule.ms ?? 0) : lasting;
  // Look-ups only happen after a submission whose answer was lost.
  const company =
    name === 'forget-past-results' ? [{ name: 'reset-after', probability: 0.5 } as const] : [];
  return { rules: [rule, ...company], forMs };
}

function ruleOf(name: StormFault, random: Random): FaultRule {
  const now = { name, seed: random.int(1, 1e9) };
  const often = { ...now, probability: random.pick([0.2, 0.5, 1]) };
  const few = { ...now, times: random.int(1, 3) };
  const somewhere = { ...often, ...endpoint(random) };
  switch (name) {
    case 'refuse':
      return { name, ms: random.int(500, 4_000) };
    case 'skew':
      return { name, ms: random.pick([-1, 1]) * random.int(1_000, 7_200_000) };
    case 'hang':
      return { ...somewhere, ms: random.int(300, 5_000) };
    case 'slow':
      // A dead worker is detected 5 s after its POST began, at the earliest: until then the service must have
      // stamped the job, or the stamp would come after the slot's time began to count.
      return { ...somewhere, ms: random.int(100, 3_500) };
    case 'error':
      return { ...somewhere, status: random.pick([500, 502, 503, 503, 504]), ...patience(random) };
    case 'rate-limit':
      return { ...often, retryAfter: random.pick([1, 2, null]) };
    case 'accept-late':
      // Up to the longest time that the budget allows for (src/domain/limits.ts).
      return { ...few, ms: random.int(500, 12_000) };
    case 'hang-after':
      return { ...few, ms: random.int(300, 5_000) };
    case 'error-after':
      return { ...few, status: random.pick([500, 502, 504]) };
    case 'lose':
    case 'fail':
    case 'kill-engine':
    case 'reset-after':
    case 'nan':
    case 'missing-key':
      return few;
    case 'stuck-heartbeat':
      return { ...now, times: 1 };
    case 'truncate':
    case 'wrong-type':
      return { ...somewhere, times: random.int(1, 6) };
    case 'garble':
      // From the third on they count as the answers of a proxy that rejects everything (src/budget/closing.ts).
      return { ...somewhere, times: random.int(1, 2) };
    case 'reset':
      return somewhere;
    case 'forget-past-results':
      return now;
  }
}

/** Half of the time everywhere. */
function endpoint(random: Random): Pick<FaultRule, 'endpoint'> {
  if (random.chance(0.5)) return {};
  return { endpoint: random.pick(['submit', 'submit', 'status', 'results', 'past-results']) };
}

function patience(random: Random): Pick<FaultRule, 'retryAfter'> {
  return random.chance(0.5) ? { retryAfter: random.int(1, 3) } : {};
}

/** Codes that a damaged result may rightly get: for the service it is finished. */
const SPOILT_RESULT = /^RESULT_[A-Z_]+$/;

/** The error codes of items that a rule explains, beside the service's own records. */
export function codesExplainedBy({ name, endpoint: where }: FaultRule): RegExp | null {
  const results = where === undefined || where === 'results';
  switch (name) {
    case 'nan':
    case 'missing-key':
      return SPOILT_RESULT;
    case 'garble':
      return results ? SPOILT_RESULT : null;
    case 'forget-past-results':
      return /^SUBMIT_(UNSURE|TAKEN)$/;
    default:
      return null;
  }
}
