/**
 * The name that a campaign has when the user gives none.
 */
import path from 'node:path';

/** Of the first manifest, without extension; `batches/demo` and `batches/demo/manifest.csv` are both `demo`. */
export function campaignName(paths: readonly string[]): string {
  const first = path.resolve(paths[0] ?? '.');
  const { name, ext, dir } = path.parse(first);
  const known = ['.csv', '.tsv', '.jsonl', '.json', '.yaml', '.yml'].includes(ext.toLowerCase());
  // A folder may have a dot in its name: only a manifest's extension is taken off.
  const stem = known ? name : path.basename(first);
  const chosen = known && stem.toLowerCase() === 'manifest' ? path.basename(dir) : stem;
  const safe = chosen
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+|-+$/g, '')
    .slice(0, 64);
  return safe === '' ? 'campaign' : safe;
}
