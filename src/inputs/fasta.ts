/**
 * FASTA text and plain sequences.
 */
import { finding, type Finding } from './finding.ts';

export interface FastaRecord {
  /** The first word of the header: what the predictors call the sequence. */
  readonly name: string;
  /** All letters and signs between this header and the next, without blanks and line breaks. */
  readonly residues: string;
  /** Line of the header in the text, from 1. */
  readonly line: number;
}

export interface Fasta {
  readonly records: readonly FastaRecord[];
  /** True when there is no header at all: one sequence, or not FASTA. */
  readonly plain: boolean;
  readonly findings: readonly Finding[];
}

/** Shortest sequence that the predictors take, in residues (measured; the contract is silent). */
export const MINIMUM_RESIDUES = 5;
/** What psper takes, in residues. */
const PSPER_RESIDUES = { minimum: 20, maximum: 3000 } as const;
/** Shorter ones can be peptides that happen to hold only A, C, G, T, N. */
const NUCLEOTIDES_FROM = 20;

export function readFasta(text: string): Fasta {
  const lines = text.split(/\r\n|\n|\r/);
  if (!lines.some((line) => line.startsWith('>'))) {
    return {
      records: [{ name: '', residues: text.replace(/\s+/g, ''), line: 1 }],
      plain: true,
      findings: [],
    };
  }
  const records: { name: string; residues: string[]; line: number }[] = [];
  const findings: Finding[] = [];
  for (const [index, line] of lines.entries()) {
    const current = records.at(-1);
    if (line.startsWith('>')) {
      const name = /^\S*/.exec(line.slice(1).trim())?.[0] ?? '';
      // A record without a name is dropped by the engine without a word.
      if (name === '') findings.push(finding('SEQUENCE_HEADER_EMPTY', { line: index + 1 }));
      records.push({ name, residues: [], line: index + 1 });
    } else if (current !== undefined) {
      current.residues.push(line.replace(/\s+/g, ''));
    } else if (line.trim() !== '' && findings.length === 0) {
      findings.push(finding('SEQUENCE_TEXT_BEFORE_HEADER', { line: index + 1 }));
    }
  }
  const joined = records.map((record) => ({ ...record, residues: record.residues.join('') }));
  return { records: joined, plain: false, findings };
}

/** Checks every record as a single sequence. */
export function checkSequences(fasta: Fasta, options: { readonly psper: boolean }): Finding[] {
  const findings: Finding[] = [...fasta.findings];
  const seen = new Set<string>();
  for (const record of fasta.records) {
    findings.push(...checkSequence(record, options.psper));
    if (record.name !== '' && seen.has(record.name)) {
      findings.push(finding('SEQUENCE_NAME_REPEATED', { record: record.name }));
    }
    seen.add(record.name);
  }
  return findings;
}

function checkSequence({ name: record, residues }: FastaRecord, psper: boolean): Finding[] {
  const length = residues.length;
  if (length === 0) return [finding('SEQUENCE_EMPTY', { record })];
  const findings = residueFindings(record, residues, '');
  if (length < MINIMUM_RESIDUES) {
    findings.push(finding('SEQUENCE_TOO_SHORT', { record, length, minimum: MINIMUM_RESIDUES }));
  } else if (psper && (length < PSPER_RESIDUES.minimum || length > PSPER_RESIDUES.maximum)) {
    findings.push(finding('SEQUENCE_LENGTH_FOR_PSPER', { record, length }));
  }
  if (looksLikeNucleotides(residues)) findings.push(finding('SEQUENCE_NUCLEOTIDES', { record }));
  return findings;
}

/**
 * The 20 amino acids, in either case. B, J, O, U, X and Z are letters of the code that the predictors read as X;
 * all else they would turn into X silently, or stop at.
 */
export function residueFindings(record: string, residues: string, gaps: string): Finding[] {
  const letters = new Set(residues.toUpperCase());
  const foreign: string[] = [];
  const unknown: string[] = [];
  for (const letter of letters) {
    if (gaps.includes(letter) || 'ACDEFGHIKLMNPQRSTVWY'.includes(letter)) continue;
    ('BJOUXZ'.includes(letter) ? unknown : foreign).push(letter);
  }
  const findings: Finding[] = [];
  if (foreign.length > 0) {
    findings.push(finding('SEQUENCE_NOT_RESIDUES', { record, characters: foreign.join('') }));
  }
  if (unknown.length > 0) {
    findings.push(finding('SEQUENCE_UNKNOWN_RESIDUES', { record, characters: unknown.join('') }));
  }
  return findings;
}

/** Three letters at least, so that repeats of glycine or alanine pass. */
function looksLikeNucleotides(residues: string): boolean {
  return (
    residues.length >= NUCLEOTIDES_FROM &&
    /^[ACGTUN]+$/i.test(residues) &&
    new Set(residues.toUpperCase()).size >= 3
  );
}
