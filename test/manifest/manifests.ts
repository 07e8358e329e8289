/** Manifests on a real disk, in a folder that is removed at the end of the test. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Item } from '../../src/domain/item.ts';
import type { Problem } from '../../src/domain/problem.ts';
import { readManifests, type ManifestReading } from './read-all.ts';

export const BATCHES = path.join(import.meta.dirname, '..', '..', 'batches');

/** Writes files into a new folder and returns its path. */
export async function folderWith(
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<string> {
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
  files: Readonly<Record<string, string | Uint8Array>> = {},
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

/** The single item of a manifest without problems. */
export async function onlyItem(
  name: string,
  content: string,
  files: Readonly<Record<string, string>> = {},
): Promise<Item> {
  const { items, problems } = await read(name, content, files);
  const [item] = items;
  if (item === undefined || items.length > 1 || problems.length > 0) {
    throw new Error(`expected one clean item, got ${JSON.stringify({ items, problems }, null, 2)}`);
  }
  return item;
}
