/**
 * The CSV form of a prediction. The contract does not define it (prediction service, 4.6); the engine writes one row
 * per residue, and a column for every predictor, empty for those that did not run:
 *
 *   sequence_id,residue,residue_index,RRM,agmata,arg,backbone,…     sequences and alignments, gaps as `-`
 *   chainCode,seqCode,residue,shiftCrypt                            NMR shifts
 */
import { parse } from 'csv-parse/sync';

/** The rows of one protein or chain. */
export interface CsvEntry {
  readonly id: string;
  /** The column `residue`, one cell per row. */
  readonly residues: readonly string[];
  /** The other columns by name, one cell per row. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
}

export interface ResultCsv {
  /** The column with the id of the entry. */
  readonly idColumn: 'sequence_id' | 'chainCode';
  readonly entries: readonly CsvEntry[];
}

/** Null for a text in another format. Rows with one id are one entry, even if they are not consecutive. */
export function readResultCsv(text: string): ResultCsv | null {
  const [header = [], ...rows] = readRows(text);
  const idColumn = (['sequence_id', 'chainCode'] as const).find((name) => header.includes(name));
  if (idColumn === undefined || !header.includes('residue')) return null;
  const [idPlace, residuePlace] = [header.indexOf(idColumn), header.indexOf('residue')];
  const byId = new Map<string, string[][]>();
  for (const row of rows) {
    const id = row[idPlace] ?? '';
    const known = byId.get(id);
    if (known === undefined) byId.set(id, [row]);
    else known.push(row);
  }
  const entries = Array.from(byId, ([id, own]): CsvEntry => {
    const column = (place: number): string[] => own.map((row) => row[place] ?? '');
    const others = header.flatMap((name, place) =>
      place === idPlace || place === residuePlace ? [] : [[name, column(place)] as const],
    );
    return { id, residues: column(residuePlace), columns: Object.fromEntries(others) };
  });
  return { idColumn, entries };
}

/** A CSV table by column name; empty if the text is not a table. */
export function readCsvTable(text: string): readonly Readonly<Record<string, string>>[] {
  const [header = [], ...rows] = readRows(text);
  return rows.map((row) =>
    Object.fromEntries(header.map((name, place) => [name, row[place] ?? ''])),
  );
}

function readRows(text: string): string[][] {
  // Ten times as fast as the parser, and the engine quotes only names with a comma.
  if (!text.includes('"')) return splitRows(text);
  try {
    const rows: string[][] = parse(text, {
      bom: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      trim: true,
    });
    return rows;
  } catch {
    return [];
  }
}

function splitRows(text: string): string[][] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  return lines.flatMap((line) => (line === '' ? [] : [line.split(',').map((cell) => cell.trim())]));
}
