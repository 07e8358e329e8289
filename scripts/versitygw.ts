/**
 * versitygw: an S3 server on a folder, for the tests of the object store. Built from its Go module if Go is installed;
 * otherwise those tests are skipped.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, renameSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { isExecutable } from '../src/temporal/cli.ts';

const VERSION = '1.8.0';
const MODULE = `github.com/versity/versitygw/cmd/versitygw@v${VERSION}`;
/** It is built from source: some minutes on a slow machine. */
const BUILD_MS = 600_000;

const ROOT = join(import.meta.dirname, '..');

const OWN_FOLDER = join(ROOT, '.tools', `versitygw-${VERSION}`);

/** `VERSITYGW`, the project's own copy, then PATH; null if there is none. */
export function findVersitygw(): string | null {
  const { VERSITYGW: chosen, PATH = '' } = process.env;
  if (chosen) return isExecutable(chosen) ? chosen : null;
  const folders = [OWN_FOLDER, ...PATH.split(delimiter).filter((folder) => folder !== '')];
  return folders.map((folder) => join(folder, 'versitygw')).find(isExecutable) ?? null;
}

/** Builds it if it is missing. Returns why it is missing; null if it exists. */
export async function setUpVersitygw(): Promise<string | null> {
  if (findVersitygw() !== null) return null;
  if (process.env['VERSITYGW'] === '') return 'VERSITYGW is empty';
  const building = `${OWN_FOLDER}.building`;
  mkdirSync(building, { recursive: true });
  try {
    await promisify(execFile)('go', ['install', MODULE], {
      cwd: ROOT,
      env: { ...process.env, GOBIN: building },
      timeout: BUILD_MS,
    });
  } catch (error) {
    return `go install ${MODULE} failed: ${lastLine(error)}`;
  }
  mkdirSync(OWN_FOLDER, { recursive: true });
  renameSync(join(building, 'versitygw'), join(OWN_FOLDER, 'versitygw'));
  return null;
}

function lastLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split('\n').at(-1) ?? '';
}
