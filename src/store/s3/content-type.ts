/** Content types for browsers: a report in a bucket is displayed, not downloaded. */
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  json: 'application/json',
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
  ...Object.fromEntries(
    ['txt', 'log', 'fasta', 'pdb', 'mol2', 'gro', 'itp', 'top', 'mdp'].map((ending) => [
      ending,
      'text/plain; charset=utf-8',
    ]),
  ),
};

export function contentType(name: string): string {
  return TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}
