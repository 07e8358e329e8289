/**
 * What a round will do, derived from its seed before it starts: plain data, so that the same seed gives the same storm
 * and a failing one can be read. Times are ms since the start of the round's first command in a storm, and since the
 * first submission in the other kinds, which have a target.
 */
import type { FaultRule } from '../../src/local-services/faults.ts';
import type { Event } from './deeds.ts';
import {
  faultsAtStart,
  KINDS,
  randomEncores,
  randomEvents,
  SIZES,
  windowMsOf,
  type Encore,
  type RoundKind,
} from './kinds.ts';
import { Random, seedOf } from './random.ts';
import { randomRows, type Row } from './rows.ts';

export interface PlannedCampaign {
  readonly name: string;
  readonly rows: readonly Row[];
  /** The working folder of its command, below the round's: see `FOLDERS`. */
  readonly folder: string;
}

export interface Plan {
  readonly seed: number;
  readonly round: number;
  readonly kind: RoundKind;
  /**
   * `embedded`: the commands share their own server, and all of them have the same clock. `elsewhere`: a separate
   * server, with its own clock, and two `worker`s.
   */
  readonly scenario: 'embedded' | 'elsewhere';
  /** Whether `run` works itself, beside the `worker`s; with an embedded server it must. */
  readonly ownWorker: boolean;
  readonly service: {
    /** Jobs per window that we may send to the prediction service. */
    readonly limit: number;
    /** The same for the molecule service; null: no limit. */
    readonly moleculeLimit: number | null;
    readonly windowMs: number;
    /** False: the service accepts everything, and only its journal shows whether we kept to the budget. */
    readonly enforced: boolean;
    readonly jobMs: number;
    readonly concurrency: number;
    readonly retryAfterSeconds: number;
  };
  readonly campaigns: readonly PlannedCampaign[];
  readonly files: Readonly<Record<string, string>>;
  /** Until the storm is over. */
  readonly faults: readonly FaultRule[];
  readonly events: readonly Event[];
  /** `status` and others are run this often, and `watch` runs; null: no queries. */
  readonly askEveryMs: number | null;
  readonly encores: readonly Encore[];
  /** The first campaign's command is also run in another working folder, for the same output tree. */
  readonly rival: boolean;
  /** What another user does with guessable names in the temporary folder; null: there is no other user. */
  readonly squat: Squat | null;
}

export const SQUATS = ['locked', 'file', 'link'] as const;
export type Squat = (typeof SQUATS)[number];

interface PlanOptions {
  /** Freezes of up to 30 s, which make a round last longer than a minute. */
  readonly long?: boolean;
  /** This kind, instead of a random one. */
  readonly kind?: RoundKind;
}

/** Working folders, below the round's own. */
export const FOLDERS = { first: '.', second: 'second' } as const;

/** Names of the commands that a plan speaks of. */
export const runOf = (campaign: string): string => `run ${campaign}`;
export const WORKERS = ['worker 1', 'worker 2'] as const;

/** Two folders have a server each: with one server they would be one folder for it. */
const EMBEDDED_ONLY: readonly RoundKind[] = ['tree', 'credential', 'forgotten'];
/** Workers on two hosts. */
const ELSEWHERE_ONLY: readonly RoundKind[] = ['terminated'];
/** A command that was killed must have another one beside it, which has joined it. */
const TWO_CAMPAIGNS: readonly RoundKind[] = ['edges', 'credential'];
const ONE_CAMPAIGN: readonly RoundKind[] = ['names', 'tree', 'burst'];

export function planRound(seed: number, round: number, options: PlanOptions = {}): Plan {
  const random = new Random(seedOf(seed, round));
  const chosen = random.weighted(KINDS);
  const kind = options.kind ?? chosen;
  const isElsewhere = random.chance(0.3) && !EMBEDDED_ONLY.includes(kind);
  const elsewhere = isElsewhere || ELSEWHERE_ONLY.includes(kind);
  const scenario = elsewhere ? 'elsewhere' : 'embedded';
  const { campaigns, files } = randomCampaigns(random, kind);
  const runs = campaigns.map(({ name }) => runOf(name));
  const commands = [...(elsewhere ? WORKERS : []), ...runs];
  return {
    seed,
    round,
    kind,
    scenario,
    ownWorker: scenario === 'embedded' || (random.chance(0.5) && !ELSEWHERE_ONLY.includes(kind)),
    service: randomService(random, kind),
    campaigns,
    files,
    faults: faultsAtStart(kind),
    events: randomEvents(random, kind, {
      scenario,
      campaigns,
      commands,
      long: options.long ?? false,
    }),
    askEveryMs: kind === 'edges' || random.chance(0.15) ? random.int(1_000, 4_000) : null,
    encores: randomEncores(random, kind, campaigns[0]?.rows ?? []),
    rival: kind === 'tree',
    squat: scenario === 'embedded' && random.chance(0.2) ? random.pick(SQUATS) : null,
  };
}

function randomCampaigns(random: Random, kind: RoundKind): Pick<Plan, 'campaigns' | 'files'> {
  const one = ONE_CAMPAIGN.includes(kind) || (!TWO_CAMPAIGNS.includes(kind) && random.chance(0.5));
  const names = one ? ['a'] : ['a', 'b'];
  const [from, to] = one ? SIZES[kind].alone : SIZES[kind].each;
  const only = kind === 'burst' ? 'molecule' : null;
  const made = names.map((name) => ({
    name,
    ...randomRows(random, name, random.int(from, to), only),
  }));
  const campaigns = made.map(({ name, rows }, n) => ({
    name,
    rows,
    folder: kind === 'credential' && n > 0 ? FOLDERS.second : FOLDERS.first,
  }));
  const files = Object.assign({}, ...made.map((own) => own.files)) as Record<string, string>;
  return { campaigns, files };
}

function randomService(random: Random, kind: RoundKind): Plan['service'] {
  return {
    limit: 10,
    moleculeLimit: random.chance(0.5) ? 8 : null,
    windowMs: windowMsOf(kind),
    // Without a limit there, nothing but our own budget keeps to it.
    enforced: random.chance(0.6) && kind !== 'terminated',
    jobMs: random.pick([100, 300, 1_000]),
    concurrency: 6,
    retryAfterSeconds: random.pick([0, 1]),
  };
}
