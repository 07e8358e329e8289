/** Collects what `checkManifests` yields, for campaigns that fit into memory. */
import { KINDS, type Item, type Kind } from '../../src/domain/item.ts';
import type { Problem } from '../../src/domain/problem.ts';
import {
  checkManifests,
  type ManifestDigest,
  type ManifestCheckOptions,
} from '../../src/manifest/check.ts';

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

export async function readManifests(
  paths: readonly string[],
  options: ManifestCheckOptions = {},
): Promise<ManifestReading> {
  const items: Item[] = [];
  const problems: Problem[] = [];
  const digests: ManifestDigest[] = [];
  const kinds = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
  let rows = 0;
  const onDigest = (digest: ManifestDigest): void => {
    digests.push(digest);
    options.onDigest?.(digest);
  };
  for await (const row of checkManifests(paths, { ...options, onDigest })) {
    if (row.source.line !== null) rows += 1;
    if (row.kind !== null) kinds[row.kind] += 1;
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
