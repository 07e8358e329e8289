/**
 * Manifests → rows → items and problems. Rows are read one by one, so memory does not grow with the table
 * (but for the ids, which are unique over all of it, and YAML, which is read whole).
 */
import type { CheckedRow } from '../domain/item.ts';
import { openChemist } from '../inputs/rdkit.ts';
import { readCsv, readTsv } from './delimited.ts';
import { IdRegister } from './ids.ts';
import { readJson } from './json.ts';
import { readJsonl } from './jsonl.ts';
import { complaint, toProblem, type Complaint } from './problems.ts';
import type { RowReader } from './raw-row.ts';
import { resolveManifest, unreadable, type ManifestFile, type ManifestFormat } from './resolve.ts';
import { checkRow, type RowContext } from './row.ts';
import { ManifestText } from './text.ts';
import { readYaml } from './yaml.ts';

export interface ManifestDigest {
  /** As the user named it. */
  readonly file: string;
  readonly sha256: string;
}

export interface ManifestOptions {
  /** Lets `file` lie outside the manifest's folder. */
  readonly allowOutside?: boolean;
  /** Told the digest of every manifest that was read to its end. */
  readonly onDigest?: (digest: ManifestDigest) => void;
}

const READERS: Readonly<Record<ManifestFormat, RowReader>> = {
  csv: readCsv,
  tsv: readTsv,
  jsonl: readJsonl,
  json: readJson,
  yaml: readYaml,
};

/**
 * Reads manifests in order and yields every row once, checked; one namespace of ids over all of them.
 * What is wrong with a whole file comes as a row without a line. Throws only for what is no mistake of the user's.
 */
export async function* checkManifests(
  paths: readonly string[],
  options: ManifestOptions = {},
): AsyncGenerator<CheckedRow> {
  const ids = new IdRegister();
  const chemist = openChemist();
  const read = new Set<string>();
  try {
    for (const given of paths) {
      const resolved = await resolveManifest(given);
      if (resolved.type === 'refused') {
        yield aboutFile(resolved.name, [resolved.complaint]);
      } else if (read.has(resolved.manifest.path)) {
        yield aboutFile(resolved.manifest.name, [complaint('MANIFEST_REPEATED', {})]);
      } else {
        read.add(resolved.manifest.path);
        yield* checkManifest(resolved.manifest, { ids, chemist }, options);
      }
    }
  } finally {
    await chemist.close();
  }
}

type Shared = Pick<RowContext, 'ids' | 'chemist'>;

async function* checkManifest(
  manifest: ManifestFile,
  shared: Shared,
  { allowOutside = false, onDigest }: ManifestOptions,
): AsyncGenerator<CheckedRow> {
  const text = new ManifestText(manifest.path);
  // A manifest that yields nothing at all must not pass for one that is in order.
  let told = false;
  for await (const checked of rowsOf(text, { ...shared, manifest, allowOutside })) {
    told ||= checked.source.line !== null || hasError(checked);
    yield checked;
  }
  if (!told) yield aboutFile(manifest.name, [complaint('MANIFEST_EMPTY', {})]);
  const sha256 = text.digest();
  if (sha256 !== null) onDigest?.({ file: manifest.name, sha256 });
}

/** Rows that may wait for files and chemistry at the same time: enough to keep the threads of both busy. */
const UNDER_WAY = 1_024;

/** Checks rows side by side, and gives them out in their order. */
async function* rowsOf(text: ManifestText, context: RowContext): AsyncGenerator<CheckedRow> {
  const { manifest } = context;
  const underWay: (CheckedRow | Promise<CheckedRow>)[] = [];
  try {
    for await (const row of READERS[manifest.format](text.pieces())) {
      // Bad bytes explain what comes after them.
      underWay.push(...encodingProblems(text, manifest));
      const checked = checkRow(row, context);
      // A rejection is met when its turn comes.
      if (checked instanceof Promise) checked.catch(() => undefined);
      underWay.push(checked);
      if (underWay.length > UNDER_WAY || !(underWay[0] instanceof Promise)) {
        yield* settled(underWay.splice(0, 1));
      }
    }
    underWay.push(...encodingProblems(text, manifest));
  } catch (error) {
    underWay.push(aboutFile(manifest.name, [unreadable(error)]));
  }
  yield* settled(underWay);
}

async function* settled(
  rows: readonly (CheckedRow | Promise<CheckedRow>)[],
): AsyncGenerator<CheckedRow> {
  for (const row of rows) yield row instanceof Promise ? await row : row;
}

function hasError({ problems }: CheckedRow): boolean {
  return problems.some(({ severity }) => severity === 'error');
}

function* encodingProblems(text: ManifestText, { name }: ManifestFile): Generator<CheckedRow> {
  const complaints = text.takeComplaints();
  if (complaints.length > 0) yield aboutFile(name, complaints);
}

function aboutFile(file: string, complaints: readonly Complaint[]): CheckedRow {
  const source = { file, line: null };
  const problems = complaints.map((one) => toProblem(one, { ...source, id: null }));
  return { source, id: null, row: null, kind: null, item: null, problems };
}
