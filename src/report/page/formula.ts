/** The structural formula of a molecule, drawn from the user's input, or from the result if that has no fitting bonds. */
import type { DrawnFormula } from '../page-data.ts';
import { isNetCharge } from '../../kinds/molecule/bonding.ts';
import type { Drawn } from '../../kinds/molecule/rdkit-thread.ts';
import { chemist } from '../../kinds/molecule/rdkit.ts';
import type { Formula } from '../../kinds/kind.ts';
import { findKind } from '../../kinds/registry.ts';
import type { ItemRecord } from '../../store/item-record.ts';

export interface FormulaSource {
  /** A SMILES or a connection table; null if the input does not have bond orders and charges. */
  readonly input: string | null;
  /** Its source, or why it is null, as a sentence. */
  readonly words: string;
  /** Drawn if the input is not; null if there is none. */
  readonly result: ReturnType<Formula['ofResult']> | null;
}

export interface Portrait {
  readonly formula: DrawnFormula;
  /** In base64; null if there is no SMILES. */
  readonly fingerprint: string | null;
}

/** A molecule that cannot be drawn must not prevent the report: `words` gives the reason. */
export async function drawPortrait(source: FormulaSource): Promise<Portrait> {
  const { input, words, result } = source;
  let why = words;
  if (input !== null) {
    const drawn = await chemist.draw(input);
    if (drawn.type !== 'drawn') why = `RDKit cannot draw the input: ${drawn.reason}.`;
    else if (result === null || isNetCharge(drawn.formalCharge, result.netCharge)) {
      return createPortrait(drawn, words);
    } else why = 'The bonds of the input do not fit the net charge.';
  }
  if (result === null) return createPortrait(null, `Not drawn. ${why}`);
  const drawn = await chemist.draw(result.molfile);
  if (drawn.type !== 'drawn') return createPortrait(null, `Not drawn. ${why}`);
  if (result.hasBondOrders) {
    const source = 'bond orders and charges are derived from its atoms, bonds and net charge';
    return createPortrait(drawn, `Drawn by RDKit from the result: ${source}. ${why}`);
  }
  const { formula } = createPortrait(
    drawn,
    `Drawn without bond orders and charges: none fit the net charge. ${why}`,
  );
  return { formula: { ...formula, smiles: null }, fingerprint: null };
}

function createPortrait(drawn: Drawn | null, words: string): Portrait {
  const { drawing = null, smiles = null, fingerprint = null } = drawn ?? {};
  return { formula: { drawing, smiles, words }, fingerprint };
}

/**
 * Null if the kind has no formula.
 * @param input the text of the input; null if it is missing
 */
export function findFormulaSource(
  record: ItemRecord,
  reading: unknown,
  input: string | null,
): FormulaSource | null {
  const { formula } = findKind(record.kind);
  if (formula === undefined) return null;
  const result = reading === null ? null : formula.ofResult(reading);
  return { ...findInputSource(record, formula, input), result };
}

function findInputSource(
  record: ItemRecord,
  { ofInput }: Formula,
  text: string | null,
): Pick<FormulaSource, 'input' | 'words'> {
  if (record.adopted?.inputKnown === false) {
    return { input: null, words: 'The job was adopted, and its input was not given.' };
  }
  const { name } = record.input;
  if (text === null) return { input: null, words: `${name} is missing.` };
  const input = ofInput({ name, text });
  if (input === null) {
    const words = `${name} does not say which bonds are double and which atoms are charged.`;
    return { input, words };
  }
  const origin = input.includes('\n') ? `${name}.` : `the SMILES ${input}`;
  return { input, words: `Drawn by RDKit from ${origin}` };
}
