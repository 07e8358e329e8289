/** The kinds, in the order of the documentation; those of plugins follow by name, so that every process has one order. */
import type { Kind, Options } from '../domain/campaign.ts';
import type { OptionColumns, KindDefinition } from './kind.ts';
import { molecule } from './molecule/index.ts';
import { alignment, sequence, shifts } from './protein/index.ts';

/** Any kind: what concerns its options and results is only passed back to itself. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyKind = Omit<KindDefinition<string, any>, 'options'> & {
  readonly options: OptionColumns;
};

const own: readonly AnyKind[] = [molecule, sequence, alignment, shifts].map(
  (kind) => kind as AnyKind,
);
const added = new Map<Kind, AnyKind>();

export function listKinds(): readonly AnyKind[] {
  const others = [...added.values()].filter(({ name }) => !isOwnKind(name));
  others.sort((one, other) => (one.name < other.name ? -1 : 1));
  return [...own, ...others];
}

export function listKindNames(): readonly Kind[] {
  return listKinds().map(({ name }) => name);
}

/** @throws RangeError if there is no such kind */
export function findKind(name: Kind): AnyKind {
  const kind = own.find((one) => one.name === name) ?? added.get(name);
  if (kind === undefined) throw new RangeError(`there is no kind "${name}"`);
  return kind;
}

/** Whether it is one of ours, and not of a plugin. */
export function isOwnKind(name: Kind): boolean {
  return own.some((one) => one.name === name);
}

/** Where the kind of a plugin comes from. */
interface PluginSource {
  /** As the configuration names it. */
  readonly plugin: string;
  /** SHA-256 of all that it consists of. */
  readonly sha256: string;
}

const sources = new Map<Kind, PluginSource>();

/** Adds the kind of a plugin, or replaces an earlier form of it. */
export function registerKind(kind: AnyKind, source: PluginSource): void {
  added.set(kind.name, kind);
  sources.set(kind.name, source);
}

/** Adds a kind as a tree describes it, if this process does not have its plugin: its results can be shown. */
export function registerDescribed(kind: AnyKind): void {
  if (!sources.has(kind.name) && !isOwnKind(kind.name)) added.set(kind.name, kind);
}

/** The plugin of a kind in this process; null if it has none, or the kind is one of ours. */
export function findSource(name: Kind): PluginSource | null {
  return sources.get(name) ?? null;
}

/** Whether a job with these options provides everything requested; both of the same work. */
export function canShare(job: Options, options: Options): boolean {
  const { share } = findKind(job.kind);
  return share === null || job.kind !== options.kind || share.covers(job, options);
}

/** The options of one job that serves both. */
export function combineOptions(one: Options, other: Options): Options {
  const { share } = findKind(one.kind);
  return share === null || one.kind !== other.kind ? one : (share.combine(one, other) as Options);
}
