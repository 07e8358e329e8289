/**
 * Same science or none: a lane is paused when its results tell another version of the engine than those of the service, of
 * the same kind. What earlier results tell is compared before a campaign starts (src/runner/lanes.ts); this sees an engine
 * that was exchanged since.
 *
 * Results stay: each names its engine, also in the tables, and what the lane had begun ends there. Rejected: giving them
 * back, because the user may say that the difference does not matter, and the service would have been paid for nothing.
 */
import type { FeedSpec, Kind, PausedService, ServiceName } from '../domain/campaign.ts';
import { describeDifference, haveSameVersion, type ToldEngine } from '../domain/engines.ts';

export interface ComparedLane {
  readonly service: ServiceName;
  readonly address: string;
  /** Its name in the breaker. */
  readonly lane: string;
  readonly spec: Pick<FeedSpec, 'checked'>;
}

export interface EnginesCarried {
  readonly seen: Readonly<Record<string, string>>;
  readonly accepted: readonly string[];
}

interface ComparedEngines {
  /** Of these lanes, a result differs from the service's; without those where the user knows. */
  readonly differing: readonly PausedService[];
  /** These differed from what the service had told before the campaign, and not from its first result in it. */
  readonly equal: readonly PausedService[];
}

export class LaneEngines {
  /** What the last result told, by kind and lane. */
  readonly #seen: Record<string, string>;
  /** Differences, in words, with which the user has resumed a lane. */
  readonly #accepted: string[];

  constructor({ seen, accepted }: EnginesCarried = { seen: {}, accepted: [] }) {
    this.#seen = { ...seen };
    this.#accepted = [...accepted];
  }

  /** For continue-as-new. */
  carried(): EnginesCarried {
    return { seen: this.#seen, accepted: this.#accepted };
  }

  /** A result tells its engine. */
  add(
    lanes: readonly ComparedLane[],
    kind: Kind,
    { address, engine }: ToldEngine,
  ): ComparedEngines {
    const [service] = lanes;
    const isFirst = address === service?.address && !(`${kind} ${service.lane}` in this.#seen);
    const before = isFirst ? this.#compareAll(lanes, kind) : [];
    const teller = lanes.find((lane) => lane.address === address);
    if (teller) this.#seen[`${kind} ${teller.lane}`] = engine;
    const found = this.#compareAll(lanes, kind);
    return {
      differing: found.filter(({ message }) => !this.#accepted.includes(message)),
      equal: before.filter((one) => found.every((still) => still.service !== one.service)),
    };
  }

  #compareAll(lanes: readonly ComparedLane[], kind: Kind): PausedService[] {
    return lanes.flatMap((lane) => this.#compare(lane, lanes[0], kind) ?? []);
  }

  #compare(
    lane: ComparedLane,
    service: ComparedLane | undefined,
    kind: Kind,
  ): PausedService | null {
    const { checked } = lane.spec;
    const ours = this.#seen[`${kind} ${lane.lane}`];
    const theirs = this.#seen[`${kind} ${service?.lane ?? ''}`] ?? checked?.engine;
    if (!checked || ours === undefined || theirs === undefined) return null;
    const [own, other] = [{ engine: ours }, { engine: theirs }];
    if (haveSameVersion(own, other)) return null;
    const words = { name: checked.name, address: lane.address, service: lane.service };
    const message = describeDifference(words, own, other);
    return { service: lane.lane, code: 'LANE_ENGINE_DIFFERS', message };
  }

  /** The user has resumed these lanes: the same difference pauses none again. */
  accept(paused: readonly PausedService[]): void {
    this.#accepted.push(...paused.map(({ message }) => message));
  }
}
