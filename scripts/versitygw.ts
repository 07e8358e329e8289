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

function ownFolder(): string {
  return join(ROOT, '.tools', `versitygw-${VERSION}`);
}

/** `VERSITYGW`, the project's own copy, then PATH; null if there is none. */
export function findVersitygw(environment = process.env): string | null {
  const chosen = environment['VERSITYGW'];
  if (chosen !== undefined && chosen !== '') return isExecutable(chosen) ? chosen : null;
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return (
    [ownFolder(), ...folders].map((folder) => join(folder, 'versitygw')).find(isExecutable) ?? null
  );
}

/** Builds it if it is missing. Returns why it is missing; null if it exists. */
export async function setUpVersitygw(): Promise<string | null> {
  if (findVersitygw() !== null) return null;
  if (process.env['VERSITYGW'] === '') return 'VERSITYGW is empty';
  const building = `${ownFolder()}.building`;
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
  mkdirSync(ownFolder(), { recursive: true });
  renameSync(join(building, 'versitygw'), join(ownFolder(), 'versitygw'));
  return null;
}

function lastLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split('\n').at(-1) ?? '';
}
