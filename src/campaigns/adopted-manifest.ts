/** The manifest that `hundredfold adopt` makes: a row for each job, kept in the campaign's tree so that it can grow. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { codedError } from '../domain/errors.ts';
import type { Kind } from '../domain/item.ts';
import { addressOf, PREPARED_CAMPAIGN, WORK_AREA } from '../store/layout.ts';
import { openStore, openStoreIfAny } from '../store/open-store.ts';

/** JSON, because names of jobs are the service's: nothing in them has to be quoted. */
export const ADOPTED_MANIFEST = `${WORK_AREA}adopted.jsonl`;

export interface AdoptedRow {
  readonly id?: string | undefined;
  readonly kind: Kind;
  readonly remote_id: string;
  readonly title?: string | undefined;
}

const row = z.object({
  id: z.string().optional(),
  kind: z.string(),
  remote_id: z.string(),
  title: z.string().optional(),
});

/** Empty if there is none; creates no folder. @throws HundredfoldError `ADOPT_MANIFEST_UNREADABLE` */
export async function readAdopted(tree: string): Promise<readonly AdoptedRow[]> {
  const text = (await (await openStoreIfAny(tree))?.readText(ADOPTED_MANIFEST)) ?? '';
  try {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    return lines.map((line) => row.parse(JSON.parse(line)));
  } catch (cause) {
    throw codedError(
      'ADOPT_MANIFEST_UNREADABLE',
      { path: addressOf(tree, ADOPTED_MANIFEST) },
      cause,
    );
  }
}

/**
 * Adds the rows that are not there yet; of those that are, the newest kind and title count.
 * @param tree the campaign's output tree, made if it is missing
 * @throws HundredfoldError `CAMPAIGN_DIFFERS`: the tree is that of a campaign with a manifest of the user's
 */
export async function addAdopted(tree: string, rows: readonly AdoptedRow[]): Promise<void> {
  const former = await readAdopted(tree);
  const there = await openStoreIfAny(tree);
  if (former.length === 0 && (await there?.exists(PREPARED_CAMPAIGN)) === true) {
    throw codedError('CAMPAIGN_DIFFERS', { case: 'own manifest', tree });
  }
  const all = new Map(former.map((one) => [one.remote_id, one]));
  for (const one of rows) all.set(one.remote_id, { ...all.get(one.remote_id), ...one });
  const text = Array.from(all.values(), (one) => `${JSON.stringify(one)}\n`).join('');
  await (await openStore(tree)).write(ADOPTED_MANIFEST, text);
}

/** Manifests are files: that of a tree in a bucket is copied to the disk while `use` runs. */
export async function withLocalCopy<T>(
  tree: string,
  use: (manifest: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'hundredfold-adopted-'));
  try {
    const manifest = join(folder, basename(ADOPTED_MANIFEST));
    const text = await (await openStore(tree)).readText(ADOPTED_MANIFEST);
    await writeFile(manifest, text ?? '', { mode: 0o600 });
    return await use(manifest);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
