/** What computed a result, as it tells, and whether the engine of a lane is that of the service: the same science or none. Pure. */

const PROGRAM_AND_VERSION = /\b(?:ACPYPE|b2bTools|ShiftCrypt) (\d[\w.+-]*)/i;

/** `2023.10.27` from `real, ACPYPE 2023.10.27, Open Babel 3.1.1.23`; null if the service did not report it. */
export function parseEngineVersion(
  record: { readonly engine?: string | undefined } | null,
): string | null {
  return PROGRAM_AND_VERSION.exec(record?.engine ?? '')?.[1] ?? null;
}

/** What a result tells of its engine, and the address of the lane that had its job. */
export interface ToldEngine {
  readonly engine: string;
  readonly address: string;
}

/** An engine, and where it was seen. */
export interface SeenEngine {
  readonly engine: string;
  /** `in night`; absent: in the results of the campaign that runs. */
  readonly where?: string;
}

/** By all that is said, where no version is known. */
export function haveSameVersion(one: SeenEngine, other: SeenEngine): boolean {
  return readVersion(one) === readVersion(other);
}

function readVersion(seen: SeenEngine): string {
  return parseEngineVersion(seen) ?? seen.engine;
}

/** Of `LANE_ENGINE_DIFFERS`. */
export function describeDifference(
  lane: { readonly name: string; readonly address: string; readonly service: string },
  ours: SeenEngine,
  theirs: SeenEngine,
): string {
  const place = `the lane ${lane.name} (${lane.address})`;
  return `the engine of ${place} is ${describeEngine(ours)}, and that of the service ${lane.service} is ${describeEngine(theirs)}`;
}

/** `"real, b2bTools 3.0.9" (in night)` */
export function describeEngine({ engine, where }: SeenEngine): string {
  return `"${engine}"${where === undefined ? '' : ` (${where})`}`;
}

/** Shows how results differ. */
export const COMPARE_LANES = 'hundredfold run MANIFEST --compare-lanes 20';

/** A sample of the usual name may have been computed before an engine was exchanged: it would show no difference. */
export const COMPARE_ANEW = `${COMPARE_LANES} --name NEW`;
