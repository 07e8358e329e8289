/**
 * FASTA text and plain sequences: how they are recognised, read, checked and sent, and by which names the results call
 * their records.
 */
import type { InputFinding, Reading } from '../finding.ts';
import type { Predictor, SequenceOptions } from '../vocabulary.ts';
import { finding } from './problems.ts';
import type { InputText } from '../../domain/item.ts';

export interface FastaRecord {
  /** The text after the `>`, trimmed. */
  readonly header: string;
  /** The first word of the header: the usual name of the sequence. */
  readonly name: string;
  /** All characters between this header and the next, without spaces and line breaks. */
  readonly residues: string;
  /** Line of the header in the text, from 1. */
  readonly line: number;
}

export interface Fasta {
  readonly records: readonly FastaRecord[];
  /** True if there is no header at all: one sequence, or not FASTA. */
  readonly plain: boolean;
  readonly findings: readonly InputFinding[];
}

/** Minimum length that the predictors accept, in residues (measured; the contract does not say). */
export const MINIMUM_RESIDUES = 5;
/**
 * Minimum for early folding, in residues (failed at 5; the limit is b2bTools' own), and the predictors that need early
 * folding.
 */
const FOLDING_RESIDUES = 7;
const NEED_FOLDING: readonly Predictor[] = ['efoldmine', 'disomine', 'agmata'];
/** The limits of psper, in residues. */
const PSPER_RESIDUES = { minimum: 20, maximum: 3000 } as const;
/** Shorter ones may be peptides that consist only of A, C, G, T, N. */
const NUCLEOTIDES_FROM = 20;

export function readFasta(text: string): Fasta {
  const lines = text.split(/\r\n|\n|\r/);
  if (!lines.some((line) => line.startsWith('>'))) {
    return {
      records: [{ header: '', name: '', residues: text.replace(/\s+/g, ''), line: 1 }],
      plain: true,
      findings: [],
    };
  }
  const records: { header: string; residues: string[]; line: number }[] = [];
  const findings: InputFinding[] = [];
  for (const [index, line] of lines.entries()) {
    const current = records.at(-1);
    if (line.startsWith('>')) {
      const header = line.slice(1).trim();
      // The engine silently drops a record without a name.
      if (header === '') findings.push(finding('SEQUENCE_HEADER_EMPTY', { line: index + 1 }));
      records.push({ header, residues: [], line: index + 1 });
    } else if (current !== undefined) {
      current.residues.push(line.replace(/\s+/g, ''));
    } else if (line.trim() !== '' && findings.length === 0) {
      findings.push(finding('SEQUENCE_TEXT_BEFORE_HEADER', { line: index + 1 }));
    }
  }
  const joined = records.map(({ header, residues, line }) => ({
    header,
    name: /^\S*/.exec(header)?.[0] ?? '',
    residues: residues.join(''),
    line,
  }));
  return { records: joined, plain: false, findings };
}

/** Removes the stop sign at the end of a translation. */
export function withoutStop(residues: string): string {
  return residues.endsWith('*') ? residues.slice(0, -1) : residues;
}

/** Checks every record as a single sequence. */
export function checkSequences(
  fasta: Fasta,
  { predictors }: { readonly predictors: readonly Predictor[] },
): InputFinding[] {
  const findings: InputFinding[] = [...fasta.findings];
  const seen = new Set<string>();
  for (const record of fasta.records) {
    findings.push(...checkSequence(record, predictors));
    if (record.header !== '' && seen.has(record.header)) {
      findings.push(finding('SEQUENCE_NAME_REPEATED', { record: record.name }));
    }
    seen.add(record.header);
  }
  return findings;
}

function checkSequence(
  { name: record, residues: written }: FastaRecord,
  predictors: readonly Predictor[],
): InputFinding[] {
  const residues = withoutStop(written);
  if (residues.length === 0) return [finding('SEQUENCE_EMPTY', { record })];
  const findings = residueFindings(record, residues);
  // As X it would be an extra residue at the end of the chain, which the predictors consider.
  if (residues !== written) findings.push(finding('SEQUENCE_STOP_REMOVED', { record }));
  findings.push(...lengthFindings(record, residues.length, predictors));
  return findings;
}

function lengthFindings(
  record: string,
  length: number,
  predictors: readonly Predictor[],
): InputFinding[] {
  if (length < MINIMUM_RESIDUES) {
    return [finding('SEQUENCE_TOO_SHORT', { record, length, minimum: MINIMUM_RESIDUES })];
  }
  const findings: InputFinding[] = [];
  const folding = predictors.filter((name) => NEED_FOLDING.includes(name));
  if (folding.length > 0 && length < FOLDING_RESIDUES) {
    const facts = { record, length, minimum: FOLDING_RESIDUES, predictors: folding };
    findings.push(finding('SEQUENCE_TOO_SHORT_FOR', facts));
  }
  const { minimum, maximum } = PSPER_RESIDUES;
  if (predictors.includes('psper') && (length < minimum || length > maximum)) {
    findings.push(finding('SEQUENCE_LENGTH_FOR_PSPER', { record, length }));
  }
  return findings;
}

const RESIDUES_ONLY = /^[ACDEFGHIKLMNPQRSTVWY]*$/i;
const NOT_A_BASE = /[^ACGTUN]/i;

/**
 * The 20 amino acids, in any case. B, J, O, U, X and Z are letters of the code that the predictors read as X; anything
 * else they would silently convert to X, or fail on.
 *
 * @param residues of one sequence, without gaps
 */
export function residueFindings(record: string, residues: string): InputFinding[] {
  // Fast path for nearly all sequences: with a million, a set of letters for each takes noticeable time.
  if (RESIDUES_ONLY.test(residues) && NOT_A_BASE.test(residues)) return [];
  const letters = new Set(residues.toUpperCase());
  const foreign: string[] = [];
  const unknown: string[] = [];
  for (const letter of letters) {
    if ('ACDEFGHIKLMNPQRSTVWY'.includes(letter)) continue;
    ('BJOUXZ'.includes(letter) ? unknown : foreign).push(letter);
  }
  const findings: InputFinding[] = [];
  if (foreign.length > 0) {
    findings.push(finding('SEQUENCE_NOT_RESIDUES', { record, characters: foreign.join('') }));
  }
  if (unknown.length > 0) {
    const all = unknown.length === letters.size;
    const facts = { record, characters: unknown.join('') };
    findings.push(
      all
        ? finding('SEQUENCE_ALL_UNKNOWN', { record })
        : finding('SEQUENCE_UNKNOWN_RESIDUES', facts),
    );
  }
  return [...findings, ...nucleotideFindings(record, residues, letters)];
}

/**
 * No known protein of 20 or more residues consists of all four bases and nothing else. With three bases it may be a
 * repeat; two are glycine and alanine.
 */
function nucleotideFindings(
  record: string,
  residues: string,
  letters: ReadonlySet<string>,
): InputFinding[] {
  if (residues.length < NUCLEOTIDES_FROM || !/^[ACGTUN]+$/i.test(residues)) return [];
  const bases = ['A', 'C', 'G'].filter((base) => letters.has(base)).length;
  const kinds = bases + (letters.has('T') || letters.has('U') ? 1 : 0);
  if (kinds === 4) return [finding('SEQUENCE_NUCLEOTIDES', { record })];
  return letters.size >= 3 ? [finding('SEQUENCE_NUCLEOTIDES_DOUBTFUL', { record })] : [];
}

/** `id`: the header for a sequence without one. */
export function readSequenceInput(text: string, options: SequenceOptions, id: string): Reading {
  const fasta = readFasta(text);
  // In upper case, as the engine reads it; the names of the records do not affect the values.
  const canonical = fasta.records
    .map(({ residues }) => withoutStop(residues).toUpperCase())
    .join('\n');
  return { findings: checkSequences(fasta, options), input: toSend(fasta, text, id), canonical };
}

function toSend({ records, plain }: Fasta, text: string, id: string): InputText {
  // The engine refuses a sequence without a header; with the id, the result has a name that the user knows.
  const headed = plain ? records.map((record) => ({ ...record, header: id })) : records;
  const { headers, names, renamed } = nameRecords(headed, 'sequence');
  const residues = records.map((record) => withoutStop(record.residues));
  const stopped = records.some((record) => record.residues.endsWith('*'));
  const named = names && { names };
  if (renamed || stopped) {
    const original = { name: 'original.fasta', text };
    return { name: 'input.fasta', text: fastaText(headers, residues), original, ...named };
  }
  const sent = plain ? `>${id}\n${text.trim()}\n` : text;
  return { name: 'input.fasta', text: sent, ...named };
}

interface RecordNames {
  /** The text after the `>`, record by record. */
  readonly headers: readonly string[];
  /** Id in the results → the user's header, if they differ. */
  readonly names: Readonly<Record<string, string>> | undefined;
  /** The ids in the results. */
  readonly ids: readonly string[];
  /** True if the headers are generated. */
  readonly renamed: boolean;
}

interface Rule {
  /** Headers with a predictable id. No `/`: an id may become part of a file name. */
  readonly known: RegExp;
  readonly id: (header: string) => string;
}

/** An alignment keeps `|` and `.`, a list of sequences does not. */
const RULES: Readonly<Record<'sequence' | 'alignment', Rule>> = {
  sequence: {
    known: /^[\w\-=;:'"()[\]|,. \t]+$/,
    id: (header) => header.replace(/[ \t|,]/g, '_').replaceAll('.', ''),
  },
  alignment: {
    known: /^[\w\-|. ]+$/,
    id: (header) => header.replaceAll(' ', '_'),
  },
};

/** The longest header whose id was seen in a result. */
const LONGEST = 147;

export function nameRecords(
  records: readonly Pick<FastaRecord, 'header'>[],
  kind: 'sequence' | 'alignment',
): RecordNames {
  const written = records.map(({ header }) => header);
  const predicted = resultIds(written, RULES[kind]);
  const ids = predicted ?? written.map((_, index) => `seq_${String(index + 1)}`);
  const differing = ids.flatMap((id, index) => {
    const header = written[index] ?? '';
    return id === header ? [] : [[id, header] as const];
  });
  return {
    headers: predicted === null ? ids : written,
    names: differing.length === 0 ? undefined : Object.fromEntries(differing),
    ids,
    renamed: predicted === null,
  };
}

/** @returns null if one of them is not certain, or if two are equal */
function resultIds(headers: readonly string[], { known, id }: Rule): string[] | null {
  const foreseeable = headers.every(
    (header) => header.length <= LONGEST && known.test(header) && !/\s\s/.test(header),
  );
  if (!foreseeable) return null;
  const ids = headers.map(id);
  return new Set(ids).size === ids.length && !ids.includes('') ? ids : null;
}

/** FASTA text of records, one line each, with these headers. */
export function fastaText(headers: readonly string[], residues: readonly string[]): string {
  return headers.map((header, index) => `>${header}\n${residues[index] ?? ''}\n`).join('');
}

export const FASTA_EXTENSIONS = ['.fasta', '.fa', '.faa', '.fas', '.afa', '.mfa'];
