/** FASTA text as the prediction service reads it. */

export interface FastaRecord {
  /** Without the leading `>`, as written. */
  readonly header: string;
  /** Without white space; letter case and gap characters as written. */
  readonly residues: string;
}

/**
 * Splits FASTA text into records. Text before the first header is returned separately: a plain sequence has nothing
 * else.
 */
export function parseFasta(text: string): { plain: string; records: FastaRecord[] } {
  const records: FastaRecord[] = [];
  let plain = '';
  let header: string | null = null;
  let residues: string[] = [];
  const close = (): void => {
    const joined = residues.join('');
    if (header === null) plain = joined;
    else records.push({ header, residues: joined });
    residues = [];
  };
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    if (line.startsWith('>')) {
      close();
      header = line.slice(1);
    } else {
      residues.push(line.replace(/\s+/g, ''));
    }
  }
  close();
  return { plain, records };
}

/** FASTA text that always has a header: the engine refuses text without one (contract 4.1 allows it). */
export function withHeader(text: string): string {
  return parseFasta(text).records.length > 0 ? text : `>sequence\n${text.trim()}\n`;
}

/**
 * The ids that b2bTools derives from the headers of a FASTA file: spaces, `|` and `,` become `_`, dots are removed, a
 * repeated id gets `_2`, `_3`, ... Derived from the recorded outputs, which test/local-services/engines.test.ts
 * checks.
 */
export function assignResultIds(headers: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return headers.map((header) => {
    const id = header
      .trim()
      .replace(/[\s|,]/g, '_')
      .replaceAll('.', '');
    const count = (seen.get(id) ?? 0) + 1;
    seen.set(id, count);
    return count === 1 ? id : `${id}_${String(count)}`;
  });
}
