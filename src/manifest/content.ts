/** Checks the content of an input by its kind, and converts the findings to problems. */
import type { InputText, Kind, Options } from '../domain/item.ts';
import type { Chemist } from '../kinds/molecule/chemist.ts';
import type { InputFinding } from '../inputs/finding.ts';
import type { Reading } from '../inputs/reading.ts';
import { kindOf } from '../kinds/registry.ts';
import { complaint, type Complaint } from './problems/problems.ts';
import type { RowInput } from './row-input.ts';

export interface Content {
  /** Null if the input is invalid for its kind. */
  readonly input: InputText | null;
  readonly canonical: string;
  readonly complaints: readonly Complaint[];
}

/** Only molecules are asynchronous: with a million rows, a promise per row would be noticeable. */
export function readContent(
  row: RowInput,
  options: Options,
  id: string | null,
  chemist: Chemist,
): Content | Promise<Content> {
  const { column, value, text } = row;
  const wrong = otherKind(column, value, options.kind);
  if (wrong !== null) return refused(wrong);
  if (text === null) return refused();
  const { extensions, isByExtension = false, read } = kindOf(options.kind).input;
  if (column === 'file' && isByExtension && !extensions.includes(row.extension))
    return wrongType(row, extensions);
  const source = { id, column, text, extension: row.extension };
  const reading = read(source, options, chemist);
  return reading instanceof Promise
    ? reading.then((found) => contentOf(found, column, value))
    : contentOf(reading, column, value);
}

function refused(...complaints: Complaint[]): Content {
  return { input: null, canonical: '', complaints };
}

function contentOf({ input, canonical, findings }: Reading, column: string, value: string) {
  const complaints = firstOfEach(findings).map((one) => ofFinding(one, column, value));
  return { input, canonical, complaints };
}

function wrongType({ extension, value }: RowInput, allowed: readonly string[]): Content {
  const facts = { extension, allowed };
  return refused(complaint('MANIFEST_FILE_TYPE', facts, { column: 'file', value }));
}

function otherKind(column: RowInput['column'], value: string, kind: Kind): Complaint | null {
  const fits = column === 'file' || kindOf(kind).input.column?.name === column;
  return fits
    ? null
    : complaint('MANIFEST_INPUT_OF_OTHER_KIND', { column, kind }, { column, value });
}

/** Limit for findings of one type per input: an alignment may have a thousand sequences. */
const SHOWN_OF_EACH = 3;

function firstOfEach(findings: readonly InputFinding[]): readonly InputFinding[] {
  if (findings.length <= SHOWN_OF_EACH) return findings;
  const counts = new Map<string, number>();
  return findings.filter(({ code }) => {
    const count = (counts.get(code) ?? 0) + 1;
    counts.set(code, count);
    return count <= SHOWN_OF_EACH;
  });
}

/** Some findings concern another cell than the input's: null for all others. */
function optionAtFault(found: InputFinding): { column: string; value: string } | null {
  switch (found.code) {
    case 'SMILES_CHARGE_DIFFERS':
    case 'SMILES_CHARGE_IGNORED':
    case 'MOLECULE_CHARGE_DIFFERS':
      return { column: 'net_charge', value: String(found.facts.given) };
    case 'SEQUENCE_LENGTH_FOR_PSPER':
      return { column: 'predictors', value: 'psper' };
    case 'SEQUENCE_TOO_SHORT_FOR':
      return { column: 'predictors', value: found.facts.predictors.join(',') };
    case 'SHIFTS_AUTHOR_NUMBERS':
      return { column: 'original_numbering', value: 'true' };
    case 'SHIFTS_ALL_MISSING':
    case 'SHIFTS_FEW_VALUES':
      return { column: 'model_class', value: found.facts.model };
    default:
      return null;
  }
}

function ofFinding(found: InputFinding, column: string, value: string): Complaint {
  return complaint(found.code, found.facts, optionAtFault(found) ?? { column, value });
}
