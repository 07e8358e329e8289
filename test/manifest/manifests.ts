/** Manifests on a real disk, in a folder that is removed at the end of the test, and what is read from them. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Item, Kind, Problem } from '../../src/domain/campaign.ts';
import { checkManifests, type ManifestCheckOptions } from '../../src/manifest/check.ts';
import type { ManifestDigest } from '../../src/manifest/sources.ts';
import { listKindNames } from '../../src/kinds/registry.ts';

export const BATCHES = path.join(import.meta.dirname, '..', '..', 'batches');
export const DEMO_SHIFTS = path.join(BATCHES, 'demo', 'files', 'bmr5387_ubiquitin.str');
export const FASTA = '>one\nMNKQQQTALNMARFIRSQSL\n';
export const PDB = `HETATM    1  O1  LIG     1       0.000   0.000   0.000  1.00  0.00           O
HETATM    2  H1  LIG     1       0.960   0.000   0.000  1.00  0.00           H
HETATM    3  H2  LIG     1      -0.240   0.930   0.000  1.00  0.00           H
`;

export interface ManifestReading {
  readonly items: readonly Item[];
  readonly problems: readonly Problem[];
  /** Number of rows read, good and bad, without blank lines. */
  readonly rows: number;
  /** Number of rows of each kind, good and bad, as far as the kind is known. */
  readonly kinds: Readonly<Record<Kind, number>>;
  /** Of the manifests, in the order given. */
  readonly digests: readonly ManifestDigest[];
}

type Files = Readonly<Record<string, string | Uint8Array>>;

/** Collects what `checkManifests` yields. */
export async function readManifests(
  paths: readonly string[],
  options: ManifestCheckOptions = {},
): Promise<ManifestReading> {
  const items: Item[] = [];
  const problems: Problem[] = [];
  const digests: ManifestDigest[] = [];
  const kinds = Object.fromEntries(listKindNames().map((kind) => [kind, 0])) as Record<
    Kind,
    number
  >;
  let rows = 0;
  const onDigest = (digest: ManifestDigest) => void digests.push(digest);
  for await (const row of checkManifests(paths, { ...options, onDigest })) {
    if (row.source.line !== null) rows += 1;
    if (row.kind !== null) kinds[row.kind] = (kinds[row.kind] ?? 0) + 1;
    if (row.item !== null) items.push(row.item);
    problems.push(...row.problems);
  }
  return { items, problems, rows, kinds, digests };
}

/** @throws when a row is refused */
export async function itemsOf(manifest: string): Promise<readonly Item[]> {
  const { items, problems } = await readManifests([manifest]);
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(`the manifest is not valid: ${JSON.stringify(errors)}`);
  return items;
}

/** Writes files into a new folder and returns its path. */
export async function folderWith(files: Files): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'hundredfold-manifest-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), content);
  }
  return folder;
}

/** Reads one manifest of this name and content, with other files beside it. */
export async function read(
  name: string,
  content: string | Uint8Array,
  files: Files = {},
): Promise<ManifestReading> {
  const folder = await folderWith({ ...files, [name]: content });
  return readManifests([path.join(folder, name)]);
}

/** `CODE line column value`, one per problem: short enough to compare at a glance. */
export function brief(problems: readonly Problem[]): string[] {
  return problems.map(({ code, line, column, value }) =>
    [code, line ?? '-', column ?? '-', value ?? '-'].join(' '),
  );
}

/** `id kind file line`, one per item. */
export function placesOf({ items }: ManifestReading): string[] {
  return items.map(({ id, kind, source }) =>
    [id, kind, path.basename(source.file), source.line].join(' '),
  );
}
