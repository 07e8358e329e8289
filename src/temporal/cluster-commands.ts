/** Commands of the Temporal CLI that give a namespace what campaigns need, for administrators who type them. */
import { ATTRIBUTE_NAMES } from './cluster-state.ts';

interface CommandPlace {
  readonly address: string;
  readonly namespace: string;
}

export const DAY_MS = 24 * 3_600_000;

export function updateRetention(place: CommandPlace, retentionMs: number): string {
  return operator('namespace update', place, `--retention ${daysOf(retentionMs)}`);
}

export function createAttributes(
  place: CommandPlace,
  names: readonly string[] = ATTRIBUTE_NAMES,
): string {
  const attributes = names.map((name) => `--name ${name} --type Keyword`).join(' ');
  return operator('search-attribute create', place, attributes);
}

function operator(verb: string, { address, namespace }: CommandPlace, rest: string): string {
  return `temporal operator ${verb} --address ${address} --namespace ${namespace} ${rest}`;
}

/** `30d`; in hours if it is not a whole number of days. */
export function daysOf(ms: number): string {
  return ms % DAY_MS === 0 ? `${ms / DAY_MS}d` : `${Math.round(ms / 3_600_000)}h`;
}
