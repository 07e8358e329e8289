/**
 * Multiple sequence alignments (contract of the prediction service, 4.2): two or more sequences, padded with `-` to one
 * length. They are sent as aligned FASTA; other formats and gap characters are converted, and the original is kept.
 */
import type { InputText } from '../../domain/item.ts';
import { alignmentFormat, readAlignmentRows, type AlignmentFormat } from './alignment-formats.ts';
import {
  MINIMUM_RESIDUES,
  readFasta,
  residueFindings,
  type Fasta,
  type FastaRecord,
} from './fasta.ts';
import type { InputFinding } from '../finding.ts';
import { finding } from './problems.ts';
import type { Reading } from '../finding.ts';
import { fastaText, nameRecords } from './record-names.ts';

const GAP = '-';
/** Gaps as written by Stockholm, A2M and GCG. The engine would read each as an unknown residue (measured). */
const OTHER_GAPS = /[.~_]/g;

/** True for several records of one length with gaps: nothing else looks like this. */
export function looksAligned({ records }: Fasta): boolean {
  const lengths = new Set(records.map((record) => record.residues.length));
  return (
    records.length > 1 &&
    lengths.size === 1 &&
    records.some((record) => /[-.]/.test(record.residues))
  );
}

/** The input of the kind `alignment`. */
export function readAlignmentInput(text: string): Reading {
  const format = alignmentFormat(text);
  const { records, findings } = readRows(text, format);
  if (records.length === 0) return { findings, input: null, canonical: '' };
  const { headers, ids, names, renamed } = nameRecords(records, 'alignment');
  const residues = records.map((record) => record.residues.replace(OTHER_GAPS, GAP));
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

const ORIGINAL_NAME: Readonly<Record<AlignmentFormat, string>> = {
  FASTA: 'original.fasta',
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
