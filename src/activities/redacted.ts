/** Counts how often a secret was overwritten in a file (services/redaction.ts). */
import type { KeptFile } from '../workflows/activity-types.ts';

export function redactedTimes(times: number): Pick<KeptFile, 'redacted'> {
  return times === 0 ? {} : { redacted: times };
}

/** Secrets are overwritten with a run of one character that no id contains. */
const MASKED = /([^\w\s.~=+-])\1*/g;
const TOKEN_OF_RECORD = /"token"\s*:\s*"([^\w\s])\1*"/;

/**
 * The same for texts that were taken out of a record, where places are no longer those of the bytes: by the lengths of
 * what was overwritten. A record that repeats the token only where the contract says so (2.4) has none in its texts.
 */
export function hiddenInTexts(
  record: Uint8Array,
  hidden: readonly number[],
): (text: string) => number {
  const lengths = new Set(hidden);
  const one = hidden.length === 1 && TOKEN_OF_RECORD.test(Buffer.from(record).toString('latin1'));
  if (hidden.length === 0 || one) return () => 0;
  return (text) => (text.match(MASKED) ?? []).filter(({ length }) => lengths.has(length)).length;
}
