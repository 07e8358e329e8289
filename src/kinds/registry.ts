/** The kinds, in the order of the documentation. */
import { KINDS, type Kind, type Options } from '../domain/item.ts';
import { alignment } from './alignment.ts';
import type { KindDefinition } from './kind.ts';
import { molecule } from './molecule/index.ts';
import { sequence } from './sequence.ts';
import { shifts } from './shifts.ts';

const BY_NAME = { molecule, sequence, alignment, shifts } as const;

export function kindOf(name: Kind): KindDefinition {
  return BY_NAME[name] as unknown as KindDefinition;
}

export const ALL_KINDS: readonly KindDefinition[] = KINDS.map(kindOf);

export function allKinds(): readonly KindDefinition[] {
  return ALL_KINDS;
}

export function kindNames(): readonly Kind[] {
  return KINDS;
}

/** Whether a job with these options provides everything requested; both of the same work. */
export function covers(job: Options, wanted: Options): boolean {
  const { share } = kindOf(job.kind);
  return share === null || job.kind !== wanted.kind || share.covers(job, wanted);
}

/** The options of one job that serves both. */
export function combined(one: Options, other: Options): Options {
  const { share } = kindOf(one.kind);
  return share === null || one.kind !== other.kind ? one : share.combine(one, other);
}
