/** The version of the program that computed a result, parsed from the service's text in `item.json`. Pure. */
import type { ItemRecord } from '../../store/item-record.ts';

const PROGRAM_AND_VERSION = /\b(?:ACPYPE|b2bTools|ShiftCrypt) (\d[\w.+-]*)/i;

/** `2023.10.27` from `real, ACPYPE 2023.10.27, Open Babel 3.1.1.23`; null if the service did not report it. */
export function engineVersion(record: Pick<ItemRecord, 'engine'> | null): string | null {
  return PROGRAM_AND_VERSION.exec(record?.engine ?? '')?.[1] ?? null;
}
