/** The molecules of a report with their SMILES and fingerprints, in item order. */
import type { Structures } from '../../report-page/data.ts';
import type { Portrait } from './formula.ts';

export class StructureList {
  readonly #rows: number[] = [];
  readonly #smiles: string[] = [];
  readonly #fingerprints: Buffer[] = [];

  /** Molecules without a drawing are left out. */
  add(row: number, { formula, fingerprint }: Portrait): void {
    if (formula.smiles === null || fingerprint === null) return;
    this.#rows.push(row);
    this.#smiles.push(formula.smiles);
    this.#fingerprints.push(Buffer.from(fingerprint, 'base64'));
  }

  /** Null if there are none. */
  all(): Structures | null {
    if (this.#rows.length === 0) return null;
    const rows = this.#rows;
    const smiles = this.#smiles;
    return { rows, smiles, fingerprints: Buffer.concat(this.#fingerprints).toString('base64') };
  }
}
