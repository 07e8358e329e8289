/** Results of the real engines: our own recordings, and public ones if they exist beside the project. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

const PROJECT = path.join(import.meta.dirname, '..', '..');

const FOLDERS = {
  own: path.join(PROJECT, 'src', 'local-services', 'recordings'),
  public: path.join(PROJECT, '..', 'shared', 'data', 'public', 'golden'),
} as const;

export type Owner = keyof typeof FOLDERS;
export const OWNERS = ['own', 'public'] as const satisfies readonly Owner[];

/** The public ones are not part of the project. */
export function isAbsent(owner: Owner): boolean {
  return !existsSync(FOLDERS[owner]);
}

/** Paths of the files in a folder with this suffix, without the `.gz`. */
export function goldens(owner: Owner, folder: string, ending: string): string[] {
  return readdirSync(path.join(FOLDERS[owner], folder))
    .filter((name) => name.endsWith(`${ending}.gz`))
    .map((name) => `${folder}/${name.slice(0, -'.gz'.length)}`)
    .sort();
}

/** @param file as `goldens` names it */
export function golden(owner: Owner, file: string): string {
  return gunzipSync(readFileSync(path.join(FOLDERS[owner], `${file}.gz`))).toString();
}

export function hasGolden(owner: Owner, file: string): boolean {
  return existsSync(path.join(FOLDERS[owner], `${file}.gz`));
}
