/**
 * Multiple sequence alignments (contract of the prediction service, 4.2): two or more sequences, padded with `-` to one
 * length. They are sent as aligned FASTA; other formats and gap characters are converted, and the original is kept.
 */
import type { InputText } from '../../domain/item.ts';
import {
  type Fasta,
  type FastaRecord,
  fastaText,
  MINIMUM_RESIDUES,
  nameRecords,
  readFasta,
  residueFindings,
} from './fasta.ts';
import type { InputFinding, Reading } from '../finding.ts';
import { finding } from './problems.ts';
import { recogniseShifts } from './shifts-input.ts';

const GAP = '-';
/** Gaps as written by Stockholm, A2M and GCG. The engine would read each as an unknown residue (measured). */
const OTHER_GAPS = /[.~_]/g;

/** True for several records of one length with gaps: nothing else looks like this. */
export function looksAligned({ records }: Fasta): boolean {
  const lengths = new Set(records.map((record) => record.residues.length));
  return (
    records.length > 1 &&
    lengths.size === 1 &&
    records.some((record) => /[-.~]/.test(record.residues))
  );
}

/** The input of the kind `alignment`. */
export function readAlignmentInput(text: string): Reading {
  const format = alignmentFormat(text);
  const { records, findings } = readRows(text, format);
  if (records.length === 0) return { findings, input: null, canonical: '' };
  const { headers, ids, names, renamed } = nameRecords(records, 'alignment');
  const isStopped = records.every((record) => STOP.test(record.residues));
  const residues = records.map((record) =>
    record.residues.replace(OTHER_GAPS, GAP).replace(isStopped ? STOP : '', ''),
  );
  const converted =
    renamed || format !== 'FASTA' || records.some((record, n) => record.residues !== residues[n]);
  const input: InputText = {
    name: 'input.fasta',
    text: converted ? fastaText(headers, residues) : text,
    ...(converted && { original: { name: ORIGINAL_NAME[format], text } }),
    ...(names && { names }),
  };
  const canonical = fastaText(
    ids,
    residues.map((row) => row.toUpperCase()),
  ).trimEnd();
  return { findings: [...findings, ...checkRows(records, residues)], input, canonical };
}

/** Of translations, each row ends with a stop sign. */
const STOP = /\*$/;

const ORIGINAL_NAME: Readonly<Record<AlignmentFormat, string>> = {
  FASTA: 'original.fasta',
  A3M: 'original.a3m',
  Stockholm: 'original.sto',
  Clustal: 'original.aln',
  PHYLIP: 'original.phy',
  NEXUS: 'original.nex',
  MSF: 'original.msf',
};

/** @returns no records if the findings say that it cannot be read */
function readRows(
  text: string,
  format: AlignmentFormat,
): { records: readonly FastaRecord[]; findings: readonly InputFinding[] } {
  switch (format) {
    case 'Stockholm':
    case 'Clustal': {
      const read = readAlignmentRows(text, format);
      return read.findings.length > 0 ? read : enoughRows(read.records, []);
    }
    case 'A3M': {
      const { records, findings } = readA3m(text);
      return enoughRows(records, findings);
    }
    case 'FASTA': {
      const { records, plain, findings } = readFasta(text);
      return enoughRows(plain ? [] : records, findings);
    }
    default:
      return { records: [], findings: [finding('ALIGNMENT_NOT_FASTA', { format })] };
  }
}

/** With one sequence the engine succeeds, but the result is meaningless; the service answers 400. */
function enoughRows(records: readonly FastaRecord[], findings: readonly InputFinding[]) {
  if (records.length >= 2) return { records, findings };
  const few = finding('ALIGNMENT_TOO_FEW_ROWS', { rows: records.length });
  return { records: [], findings: [...findings, few] };
}

/** @param residues of the records, with `-` for every gap */
function checkRows(records: readonly FastaRecord[], residues: readonly string[]): InputFinding[] {
  const findings: InputFinding[] = [];
  const headers = new Set<string>();
  const expected = residues[0]?.length ?? 0;
  for (const [index, record] of records.entries()) {
    const { header, name } = record;
    if (header !== '' && headers.has(header)) {
      findings.push(finding('ALIGNMENT_NAME_REPEATED', { record: name }));
    }
    headers.add(header);
    findings.push(...checkRow(record, residues[index] ?? '', expected));
  }
  // Reported only if there are no other findings: broken alignments have such columns for other reasons.
  const columns = findings.length === 0 ? emptyColumns(residues, expected) : 0;
  return columns === 0 ? findings : [finding('ALIGNMENT_EMPTY_COLUMNS', { columns })];
}

function checkRow(
  { name: record, residues: written }: FastaRecord,
  residues: string,
  expected: number,
): InputFinding[] {
  const { length } = residues;
  const findings: InputFinding[] = [];
  if (length !== expected)
    findings.push(finding('ALIGNMENT_UNEQUAL', { record, length, expected }));
  const otherGaps = [...new Set(written.match(OTHER_GAPS) ?? [])].join('');
  if (otherGaps !== '') {
    findings.push(finding('ALIGNMENT_GAP_CHARACTER', { record, characters: otherGaps }));
  }
  if (STOP.test(written) && !STOP.test(residues))
    findings.push(finding('SEQUENCE_STOP_REMOVED', { record }));
  const ungapped = residues.replaceAll(GAP, '');
  if (ungapped === '') return [...findings, finding('SEQUENCE_EMPTY', { record })];
  findings.push(...residueFindings(record, ungapped));
  if (ungapped.length < MINIMUM_RESIDUES) {
    const facts = { record, length: ungapped.length, minimum: MINIMUM_RESIDUES };
    findings.push(finding('ALIGNMENT_ROW_SHORT', facts));
  }
  return findings;
}

/** Columns in which no sequence has a residue: harmless, and usually left over from removed sequences. */
function emptyColumns(rows: readonly string[], width: number): number {
  let count = 0;
  for (let column = 0; column < width; column += 1) {
    if (rows.every((row) => row.charAt(column) === GAP)) count += 1;
  }
  return count;
}

export type AlignmentFormat =
  'FASTA' | 'A3M' | 'Stockholm' | 'Clustal' | 'PHYLIP' | 'NEXUS' | 'MSF';

/** By the beginning of the text, the only reliable part of a format; A3M is FASTA but for its insertions. */
export function alignmentFormat(text: string): AlignmentFormat {
  const start = text.slice(0, 2000).trimStart();
  if (start.startsWith('>') || A3M_COMMENT.test(start)) return isA3m(text) ? 'A3M' : 'FASTA';
  if (/^# ?STOCKHOLM\b/i.test(start)) return 'Stockholm';
  if (/^(CLUSTAL|MUSCLE|PROBCONS|MSAPROBS|Kalign)\b/i.test(start)) return 'Clustal';
  if (/^#NEXUS\b/i.test(start)) return 'NEXUS';
  if (/^(!![AN]A_MULTIPLE|PileUp\b|MSF:)/i.test(start)) return 'MSF';
  if (/^\d+[ \t]+\d+[ \t]*[\r\n]/.test(start)) return 'PHYLIP';
  return 'FASTA';
}

/** `#A3M#` of HH-suite; the lengths and numbers of copies of ColabFold. */
const A3M_COMMENT = /^#(A3M#|\d+[\d,]*\t\d+[\d,]*)[ \t]*[\r\n]+>/;
/** Records of HH-suite that are no sequences: predicted secondary structure and its confidence. */
const NO_SEQUENCE = /^(ss_pred|ss_conf|ss_dssp|sa_dssp|sa_pred)\b/;

/** Rows of unequal length that become equal without their lower-case residues, of which the first row has none. */
function isA3m(text: string): boolean {
  const [first, ...others] = a3mRecords(text);
  if (first === undefined || others.length === 0 || /[a-z]/.test(first.residues)) return false;
  const isInserted = others.some(({ residues }) => residues.length !== first.residues.length);
  return (
    isInserted &&
    others.every(({ residues }) => withoutInsertions(residues).length === first.residues.length)
  );
}

function a3mRecords(text: string): readonly FastaRecord[] {
  const { records } = readFasta(text.replace(/^\s*#[^\r\n]*/, ''));
  return records.filter(({ header }) => !NO_SEQUENCE.test(header));
}

function withoutInsertions(residues: string): string {
  return residues.replace(/[a-z.]/g, '');
}

function readA3m(text: string): AlignmentRows {
  const written = a3mRecords(text);
  const records = written.map((record) => ({
    ...record,
    residues: withoutInsertions(record.residues),
  }));
  const count = written.reduce(
    (sum, { residues }) => sum + residues.replace(/[^a-z]/g, '').length,
    0,
  );
  return { records, findings: [finding('ALIGNMENT_INSERTIONS_REMOVED', { count })] };
}

interface AlignmentRows {
  readonly records: readonly FastaRecord[];
  readonly findings: readonly InputFinding[];
}

interface Line {
  readonly words: readonly string[];
  readonly number: number;
}

interface Layout {
  readonly format: 'Stockholm' | 'Clustal';
  /** Why a line cannot be a row; null if it can. */
  wrong(line: Line): string | null;
  /** Lines without sequence. */
  skips(line: string): boolean;
}

const LAYOUTS: Readonly<Record<'Stockholm' | 'Clustal', Layout>> = {
  Stockholm: {
    format: 'Stockholm',
    wrong: ({ words }) => (words.length === 2 ? null : 'it is not a name and a sequence'),
    skips: (line) => line.startsWith('#'),
  },
  Clustal: {
    format: 'Clustal',
    // Some programs add the number of residues so far at the end.
    wrong: ({ words: [, , count, more] }) =>
      more === undefined && (count === undefined || /^\d+$/.test(count))
        ? null
        : 'it is not a name and a sequence',
    // The conservation marks below a block begin with a space.
    skips: (line) => /^[ \t]/.test(line) && /^[ \t*:.]*$/.test(line),
  },
};

export function readAlignmentRows(text: string, format: 'Stockholm' | 'Clustal'): AlignmentRows {
  const lines = text.split(/\r\n|\n|\r/);
  const start = lines.findIndex((line) => line.trim() !== '');
  const body = lines.slice(start + 1);
  if (format === 'Clustal') return readBlocks(body, start + 2, LAYOUTS.Clustal);
  const end = body.findIndex((line) => line.trimEnd() === '//');
  if (end === -1) {
    const facts = { format, line: lines.length, reason: 'the end mark `//` is missing' };
    return { records: [], findings: [finding('ALIGNMENT_MALFORMED', facts)] };
  }
  const count = body.filter((line) => line.trimEnd() === '//').length;
  if (count > 1)
    return { records: [], findings: [finding('ALIGNMENT_SEVERAL', { format, count })] };
  return readBlocks(body.slice(0, end), start + 2, LAYOUTS.Stockholm);
}

/** A name occurs once in each block; blocks are separated by blank lines. */
function readBlocks(lines: readonly string[], from: number, layout: Layout): AlignmentRows {
  const rows = new Map<string, { parts: string[]; line: number }>();
  let block = new Set<string>();
  for (const [index, text] of lines.entries()) {
    const line: Line = { words: text.trim().split(/\s+/), number: from + index };
    const [name = '', residues = ''] = line.words;
    if (name === '') {
      block = new Set();
      continue;
    }
    if (layout.skips(text)) continue;
    const reason =
      layout.wrong(line) ??
      (residues === ''
        ? 'it is not a name and a sequence'
        : block.has(name)
          ? `\`${name.slice(0, 40)}\` is already in this block`
          : null);
    if (reason !== null) {
      const facts = { format: layout.format, line: line.number, reason };
      return { records: [], findings: [finding('ALIGNMENT_MALFORMED', facts)] };
    }
    block.add(name);
    const row = rows.get(name);
    if (row === undefined) rows.set(name, { parts: [residues], line: line.number });
    else row.parts.push(residues);
  }
  const records = [...rows].map(([name, { parts, line }]) => ({
    header: name,
    name,
    residues: parts.join(''),
    line,
  }));
  return { records, findings: [] };
}

/** Of Stockholm, Clustal and A3M files. */
export const ALIGNMENT_EXTENSIONS = [
  '.sto',
  '.stk',
  '.stockholm',
  '.aln',
  '.clustal',
  '.clw',
  '.a3m',
  '.a2m',
];

/** For the two recognisers: a text says why it is unclear. */
type Recognised = boolean | string;

export function recogniseSequence(text: string): Recognised {
  if (recogniseShifts(text)) return false;
  if (!text.includes('>') && !/^[a-z*\s]*$/i.test(text)) return false;
  const found = recogniseAlignment(text);
  return typeof found === 'string' ? found : !found;
}

export function recogniseAlignment(text: string): Recognised {
  // Aligners use many different file names.
  if (alignmentFormat(text) !== 'FASTA') return true;
  const fasta = readFasta(text);
  const count = fasta.records.length;
  if (count < 2) return false;
  return looksAligned(fasta) || `${count} FASTA records may be an alignment or several sequences`;
}
