/** The structural formula of a molecule, drawn from the user's input. */
import type { Chemist } from '../../inputs/molecules/chemist.ts';
import { mol2Table } from '../../inputs/molecules/mol2-table.ts';
import { readMol2 } from '../../inputs/molecules/mol2.ts';
import { connectionTable } from '../../inputs/molecules/molfile.ts';
import type { DrawnFormula } from '../../report-page/data.ts';
import type { ResultReading } from '../../results/reading.ts';
import type { ItemRecord } from '../../store/item-record.ts';
import { itemKey } from '../../store/layout.ts';
import type { Store } from '../../store/store.ts';

export interface FormulaSource {
  /** A SMILES or a connection table; null if there is nothing to draw. */
  readonly structure: string | null;
  /** Its source, or why there is none, as a sentence. */
  readonly words: string;
}

export interface Portrait {
  readonly formula: DrawnFormula;
  /** In base64; null if there is no drawing. */
  readonly fingerprint: string | null;
}

/** A molecule that cannot be drawn must not prevent the report: `words` gives the reason. */
export async function portrait(chemist: Chemist, source: FormulaSource): Promise<Portrait> {
  const { structure, words } = source;
  const without = (why: string): Portrait => ({
    formula: { drawing: null, smiles: null, words: why },
    fingerprint: null,
  });
  if (structure === null) return without(words);
  const drawn = await chemist.draw(structure);
  if (drawn.type !== 'drawn') return without(`RDKit cannot draw the structure: ${drawn.reason}.`);
  const { drawing, smiles, fingerprint } = drawn;
  return { formula: { drawing, smiles, words }, fingerprint };
}

export async function formulaSource(
  store: Store,
  record: ItemRecord,
  reading: ResultReading | null,
): Promise<FormulaSource> {
  if (record.adopted?.inputKnown === false) {
    return nothing('Not drawn: the job was adopted, and its input was not given.');
  }
  const { name } = record.input;
  const text = await store.readText(itemKey(store, record.kind, record.id, name));
  if (text === null) return nothing(`Not drawn: ${name} is missing.`);
  const extension = name.slice(name.lastIndexOf('.'));
  if (extension === '.smi') {
    const structure = text.trim().split(/\s/, 1)[0] ?? '';
    return { structure, words: `Drawn by RDKit from the SMILES ${structure}` };
  }
  if (extension === '.mol2') {
    const elements = readMol2(text).atoms.map(({ element }) => element);
    const structure = mol2Table(elements, text);
    return structure === null
      ? nothing(`Not drawn: ${name} has no bonds with orders.`)
      : { structure, words: `Drawn by RDKit from ${name}.` };
  }
  if (extension === '.pdb') return bondsOfTheResult(store, record, reading);
  return { structure: connectionTable(text), words: `Drawn by RDKit from ${name}.` };
}

/** A PDB file has no bond orders; ACPYPE determines them, and writes them with the charges. */
async function bondsOfTheResult(
  store: Store,
  record: ItemRecord,
  reading: ResultReading | null,
): Promise<FormulaSource> {
  const file = Object.keys(record.files).find(
    (name) => name.endsWith('.mol2') && !name.includes('/'),
  );
  if (reading?.kind !== 'molecule' || file === undefined) {
    return nothing(
      'Not drawn: a PDB file does not say which bonds are double, and there is no result that does.',
    );
  }
  const mol2 = await store.readText(itemKey(store, record.kind, record.id, file));
  const elements = reading.atoms.map(({ element }) => element);
  const structure = mol2 === null ? null : mol2Table(elements, mol2);
  return structure === null
    ? nothing(`Not drawn: ${file} has no bonds with orders.`)
    : {
        structure,
        words: `Drawn by RDKit. The PDB file does not say which bonds are double: these are the engine’s, from ${file}.`,
      };
}

function nothing(words: string): FormulaSource {
  return { structure: null, words };
}
