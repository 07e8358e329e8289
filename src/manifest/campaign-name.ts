/** The default name of a campaign. */
import path from 'node:path';
import { nameFrom } from '../domain/name.ts';
import { formatOf, readFileName } from './sources.ts';

/**
 * From the first path, without extension: `library.smi.gz` is `library`; `batches/demo` and `batches/demo/manifest.csv`
 * are both `demo`. From a pattern, the folder before its first wildcard: `plates/*.csv` is `plates`.
 */
export function campaignName(paths: readonly string[]): string {
  const first = path.resolve(withoutPattern(paths[0] ?? '.'));
  const { stem, extension } = readFileName(first);
  const isKnown = formatOf(extension) !== null;
  const base = path.basename(first);
  // A folder may have a dot in its name: only known extensions are removed.
  const named = isKnown && stem !== '' ? stem : base;
  const isManifest = isKnown && stem.toLowerCase() === 'manifest';
  const chosen = isManifest ? path.basename(path.dirname(first)) : named;
  return nameFrom(chosen) || 'campaign';
}

function withoutPattern(given: string): string {
  return /^[^*?[{]*(?=[*?[{])/.exec(given)?.[0] ?? given;
}
