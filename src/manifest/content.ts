/**
 * Looks into an input: the checks of its kind, and the text that is sent with the name it gets in the output tree.
 */
import type { InputText, Kind, MoleculeOptions, Options } from '../domain/item.ts';
import { checkAlignment } from '../inputs/alignment.ts';
import { checkSequences, readFasta } from '../inputs/fasta.ts';
import type { Finding } from '../inputs/finding.ts';
import { readMol2 } from '../inputs/mol2.ts';
import { readMolfile } from '../inputs/molfile.ts';
import { readShifts } from '../inputs/nmr.ts';
import { readPdb } from '../inputs/pdb.ts';
import { checkNetCharge, readSmiles } from '../inputs/smiles.ts';
import type { Structure } from '../inputs/structure.ts';
import { extensionOf, MOLECULE_EXTENSIONS } from './kind.ts';
import { complaint, type Complaint } from './problems.ts';
import type { RowInput } from './row-input.ts';

export interface Content {
  /** Null when the input is of no use for its kind. */
  readonly input: InputText | null;
  readonly complaints: readonly Complaint[];
}

const READERS: Readonly<Record<(typeof MOLECULE_EXTENSIONS)[number], (text: string) => Structure>> =
  {
    '.pdb': readPdb,
    '.mol2': readMol2,
    '.sdf': readMolfile,
    '.mdl': readMolfile,
    '.mol': readMolfile,
  };

export function readContent(
  { column, value, text }: RowInput,
  options: Options,
  id: string | null,
): Content {
  const wrong = otherKind(column, value, options.kind);
  if (wrong !== null) return { input: null, complaints: [wrong] };
  if (text === null) return { input: null, complaints: [] };
  const found = (name: string, findings: readonly Finding[], sent = text): Content => ({
    input: { name, text: sent },
    complaints: firstOfEach(findings).map((one) => ofFinding(one, column, value)),
  });
  switch (options.kind) {
    case 'molecule':
      return column === 'smiles'
        ? found('input.smi', smilesFindings(text, options))
        : structureContent(value, found, text);
    case 'sequence': {
      const fasta = readFasta(text);
      const findings = checkSequences(fasta, { psper: options.predictors.includes('psper') });
      // The engine refuses a sequence without a header; with the id in it the result carries a name the user knows.
      const sent = fasta.plain ? `>${id ?? 'sequence'}\n${text.trim()}\n` : text;
      return found('input.fasta', findings, sent);
    }
    case 'alignment':
      return found('input.fasta', checkAlignment(text));
    case 'shifts': {
      const { format, findings } = readShifts(text);
      // The engine goes by the extension, the service by the content: both agree when the name does.
      return found(format === 'nef' ? 'input.nef' : 'input.str', findings);
    }
  }
}

function smilesFindings(text: string, options: MoleculeOptions): Finding[] {
  const smiles = readSmiles(text);
  // Without a whole SMILES its charges mean nothing.
  const broken = smiles.findings.some((one) => one.code === 'SMILES_SYNTAX');
  const charge = broken ? [] : checkNetCharge(smiles, options.netCharge, options.chargeMethod);
  return [...smiles.findings, ...charge];
}

function structureContent(
  value: string,
  found: (name: string, findings: readonly Finding[]) => Content,
  text: string,
): Content {
  const extension = MOLECULE_EXTENSIONS.find((known) => known === extensionOf(value));
  if (extension !== undefined) return found(`input${extension}`, READERS[extension](text).findings);
  const facts = { extension: extensionOf(value), allowed: MOLECULE_EXTENSIONS };
  const where = { column: 'file', value };
  return { input: null, complaints: [complaint('MANIFEST_FILE_TYPE', facts, where)] };
}

function otherKind(column: RowInput['column'], value: string, kind: Kind): Complaint | null {
  const fits =
    column === 'file' ||
    (column === 'smiles' && kind === 'molecule') ||
    (column === 'sequence' && kind === 'sequence');
  return fits
    ? null
    : complaint('MANIFEST_INPUT_OF_OTHER_KIND', { column, kind }, { column, value });
}

/** Findings of one sort that are told of one input: an alignment may hold a thousand sequences. */
const TOLD_OF_EACH = 3;

function firstOfEach(findings: readonly Finding[]): Finding[] {
  const told = new Map<string, number>();
  return findings.filter(({ code }) => {
    const count = (told.get(code) ?? 0) + 1;
    told.set(code, count);
    return count <= TOLD_OF_EACH;
  });
}

/** Some findings are about another cell than the one that holds the input. */
function ofFinding(found: Finding, column: string, value: string): Complaint {
  const where =
    found.code === 'SMILES_CHARGE_DIFFERS' || found.code === 'SMILES_CHARGE_IGNORED'
      ? { column: 'net_charge', value: String(found.facts.given) }
      : found.code === 'SEQUENCE_LENGTH_FOR_PSPER'
        ? { column: 'predictors', value: 'psper' }
        : { column, value };
  return complaint(found.code, found.facts, where);
}
