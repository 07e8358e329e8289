/** The version of the program that computed a result, out of the service's words in `item.json`. Pure. */
import type { ItemRecord } from '../../store/item-record.ts';

const PROGRAM_AND_VERSION = /\b(?:ACPYPE|b2bTools|ShiftCrypt) (\d[\w.+-]*)/i;

/** `2026.10.15` of `real, ACPYPE 2026.10.15, Open Babel 3.1.1.23`; null where the service did not tell. */
export function engineVersion(record: Pick<ItemRecord, 'engine'> | null): string | null {
  return PROGRAM_AND_VERSION.exec(record?.engine ?? '')?.[1] ?? null;
}
