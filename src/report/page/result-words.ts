/** An item's result, short enough for a table cell. */
import { SHIFTS_MISSING } from '../../results/reading-aids.ts';
import type { ResultReading } from '../../results/reading.ts';

export function resultWords(reading: ResultReading): string {
  switch (reading.kind) {
    case 'molecule': {
      const { formula, atoms, charge, estimated } = reading;
      const revise = estimated.filter(({ needsRevision }) => needsRevision).length;
      const flags = revise === 0 ? '' : `, ${revise} ATTN`;
      return `${formula}, ${atoms.length} atoms, charge ${chargeText(charge)}${flags}`;
    }
    case 'sequence': {
      const residues = reading.proteins.reduce((sum, protein) => sum + protein.residues.length, 0);
      const chains = reading.proteins.length > 1 ? `${reading.proteins.length} chains, ` : '';
      return `${chains}${residues} residues`;
    }
    case 'alignment':
      return `${reading.proteins.length} rows, ${reading.columns} columns`;
    case 'shifts': {
      const values = reading.chains.flatMap(({ shiftCrypt }) => shiftCrypt);
      const present = values.filter((value) => value !== null && value !== SHIFTS_MISSING).length;
      return `${present} of ${values.length} residues`;
    }
  }
}

/** `0`, `−1`, `+0.02` if the topology does not add up to an integer. */
function chargeText(charge: number): string {
  const rounded = Math.round(charge * 1000) / 1000;
  if (rounded === 0) return '0';
  return rounded < 0 ? `−${-rounded}` : `+${rounded}`;
}
