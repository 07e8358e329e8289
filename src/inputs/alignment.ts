/**
 * Multiple sequence alignments in FASTA (contract of the prediction service, 4.2): two sequences or more,
 * padded with `-` to one length.
 */
import {
  MINIMUM_RESIDUES,
  readFasta,
  residueFindings,
  type Fasta,
  type FastaRecord,
} from './fasta.ts';
import { finding, type Finding } from './finding.ts';
import type { Reading } from './reading.ts';

const GAP = '-';

/** True for several records of one length with gaps in them: nothing else looks like that. */
export function looksAligned({ records }: Fasta): boolean {
  const lengths = new Set(records.map((record) => record.residues.length));
  return (
    records.length > 1 &&
    lengths.size === 1 &&
    records.some((record) => record.residues.includes(GAP))
  );
}

/** The input of the kind `alignment`. */
export function readAlignmentInput(text: string): Reading {
  const canonical = readFasta(text)
    .records.map(({ name, residues }) => `>${name}\n${residues.toUpperCase()}`)
    .join('\n');
  return { findings: checkAlignment(text), input: { name: 'input.fasta', text }, canonical };
}

export function checkAlignment(text: string): Finding[] {
  const format = foreignFormat(text);
  if (format !== null) return [finding('ALIGNMENT_NOT_FASTA', { format })];
  const { records, plain, findings: broken } = readFasta(text);
  const rows = plain ? 0 : records.length;
  const findings: Finding[] = [...broken];
  // With one sequence the engine ends well and the result means nothing; the service answers 400.
  if (rows < 2) return [...findings, finding('ALIGNMENT_TOO_FEW_ROWS', { rows })];
  const names = new Set<string>();
  const expected = records[0]?.residues.length ?? 0;
  for (const record of records) {
    if (names.has(record.name)) {
      findings.push(finding('ALIGNMENT_NAME_REPEATED', { record: record.name }));
    }
    names.add(record.name);
    findings.push(...checkRow(record, expected));
  }
  return findings;
}

function checkRow({ name: record, residues }: FastaRecord, expected: number): Finding[] {
  const length = residues.length;
  const findings: Finding[] = [];
  if (length !== expected)
    findings.push(finding('ALIGNMENT_UNEQUAL', { record, length, expected }));
  const otherGaps = ['.', '~', '_'].filter((character) => residues.includes(character)).join('');
  if (otherGaps !== '') {
    findings.push(finding('ALIGNMENT_GAP_CHARACTER', { record, characters: otherGaps }));
  }
  const ungapped = residues.replace(/[-.~_]/g, '');
  findings.push(...residueFindings(record, ungapped, ''));
  if (ungapped === '') findings.push(finding('SEQUENCE_EMPTY', { record }));
  else if (ungapped.length < MINIMUM_RESIDUES) {
    const facts = { record, length: ungapped.length, minimum: MINIMUM_RESIDUES };
    findings.push(finding('ALIGNMENT_ROW_SHORT', facts));
  }
  return findings;
}

/** Formats that aligners write by default and that the service does not take. */
function foreignFormat(text: string): string | null {
  if (/^\s*# STOCKHOLM/.test(text)) return 'Stockholm';
  if (/^\s*(CLUSTAL|MUSCLE|PROBCONS)\b/.test(text)) return 'Clustal';
  if (/^\s*\d+\s+\d+\s*[\r\n]/.test(text)) return 'PHYLIP';
  return null;
}
