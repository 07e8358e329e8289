/** The structural formula of a molecule, drawn from the user's input, or from the result if that has no fitting bonds. */
import type { DrawnFormula } from '../page-data.ts';
import { isNetCharge } from '../../kinds/molecule/bonding.ts';
import type { Drawn } from '../../kinds/molecule/rdkit-thread.ts';
import { chemist } from '../../kinds/molecule/rdkit.ts';
import type { Formula } from '../../kinds/kind.ts';
import { findKind } from '../../kinds/registry.ts';
import type { ItemRecord } from '../../store/item-record.ts';

export interface Portrait {
  readonly formula: DrawnFormula;
  /** In base64; null if there is no SMILES. */
  readonly fingerprint: string | null;
}

/**
 * Null if the kind has no formula. A molecule that cannot be drawn must not prevent the report: `words` gives the reason.
 * @param texts of the files of the item, by name
 */
export async function drawPortrait(
  record: ItemRecord,
  reading: unknown,
  texts: ReadonlyMap<string, string>,
): Promise<Portrait | null> {
  const { formula } = findKind(record.kind);
  if (formula === undefined) return null;
  const result = reading === null ? null : formula.ofResult(reading);
  const { input, words } = readInput(record, formula, texts.get(record.input.name));
  let why = words;
  if (input !== null) {
    const drawn = await chemist.draw(input);
    if (drawn.type !== 'drawn') why = `RDKit cannot draw the input: ${drawn.reason}.`;
    else if (result === null || isNetCharge(drawn.formalCharge, result.netCharge))
      return createPortrait(drawn, words);
    else why = 'The bonds of the input do not fit the net charge.';
  }
  const drawn = result === null ? null : await chemist.draw(result.molfile);
  if (drawn?.type !== 'drawn') return createPortrait({}, `Not drawn. ${why}`);
  if (result?.hasBondOrders !== true) {
    const source = 'Drawn without bond orders and charges: none fit the net charge.';
    return createPortrait({ drawing: drawn.drawing }, `${source} ${why}`);
  }
  const source = 'bond orders and charges are derived from its atoms, bonds and net charge';
  return createPortrait(drawn, `Drawn by RDKit from the result: ${source}. ${why}`);
}

function createPortrait(drawn: Partial<Drawn>, words: string): Portrait {
  const { drawing = null, smiles = null, fingerprint = null } = drawn;
  return { formula: { drawing, smiles, words }, fingerprint };
}

/** A SMILES or a connection table, and its source; or null, and why there is none. */
function readInput(
  { adopted, input: { name } }: ItemRecord,
  { ofInput }: Formula,
  text: string | undefined,
): { readonly input: string | null; readonly words: string } {
  if (adopted?.inputKnown === false)
    return { input: null, words: 'The job was adopted, and its input was not given.' };
  if (text === undefined) return { input: null, words: `${name} is missing.` };
  const input = ofInput({ name, text });
  if (input === null) {
    const words = `${name} does not say which bonds are double and which atoms are charged.`;
    return { input, words };
  }
  const origin = input.includes('\n') ? `${name}.` : `the SMILES ${input}`;
  return { input, words: `Drawn by RDKit from ${origin}` };
}
