/** Results of the real engines, as recorded for the local services. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

const FOLDER = path.join(import.meta.dirname, '../../packages/local-services/recordings');

/** Paths of the files in a folder with this suffix, without the `.gz`. */
export function goldens(folder: string, ending: string): string[] {
  return readdirSync(path.join(FOLDER, folder))
    .filter((name) => name.endsWith(`${ending}.gz`))
    .map((name) => `${folder}/${name.slice(0, -'.gz'.length)}`)
    .sort();
}

/** @param file as `goldens` names it */
export function golden(file: string): string {
  return gunzipSync(readFileSync(path.join(FOLDER, `${file}.gz`))).toString();
}

export function hasGolden(file: string): boolean {
  return existsSync(path.join(FOLDER, `${file}.gz`));
}
