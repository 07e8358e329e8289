/**
 * The folder of a host. One host at a time may be in it: the Temporal dev server opens one database twice without an error,
 * which corrupts it. The lock is SQLite's own on a file beside the database: the operating system releases it when the
 * process ends, even after a crash, so there are no stale locks and no process ids to check.
 *
 * A host leaves files there for other processes: `host.json` while it runs, `server.json` as long as its Temporal server
 * lives, which may be longer than the host (kill -9), `services.json` and `synthetic.json` once local services were used
 * there, `background.json` for the process of `run --detach`, `clock.json` for the next host to compare its clock with,
 * and `identity.json` permanently. Written whole: others read at any time.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { HundredfoldError } from '../../domain/errors.ts';
import type { EmbeddedServer } from '../tree-holder.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER, createPrivateFile } from '../../state.ts';

export interface Lock {
  release(): void;
}

const LOCK = 'host.lock';

/** null when another process holds it. */
export function tryLock(dir: string): Lock | null {
  let database: DatabaseSync;
  try {
    mkdirSync(dir, { recursive: true, mode: PRIVATE_FOLDER });
    createPrivateFile(join(dir, LOCK));
    database = new DatabaseSync(join(dir, LOCK), { timeout: 0 });
  } catch (cause) {
    throw createFolderError(dir, cause);
  }
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw createFolderError(dir, error);
  }
  return { release: () => database.close() };
}

export function createFolderError(dir: string, cause: unknown): HundredfoldError {
  const reason = cause instanceof Error ? `: ${cause.message}` : '';
  return new HundredfoldError(
    'HOST_FOLDER_UNUSABLE',
    `cannot write in ${dir}, where the embedded server keeps its database${reason}`,
    'Make it writable, free space on its disk, or choose another folder: embedded.dir in hundredfold.yaml, or HUNDREDFOLD_EMBEDDED_DIR.',
    { cause },
  );
}

const RETRY_INTERVAL_MS = 50;

/** Waits until the other process has ended; `waiting` is called when that takes a second. */
export async function waitForLock(dir: string, waiting: () => void): Promise<Lock> {
  for (let tries = 1; ; tries += 1) {
    const lock = tryLock(dir);
    if (lock) return lock;
    if (tries === 20) waiting();
    await delay(RETRY_INTERVAL_MS);
  }
}

/** The primary result code SQLITE_BUSY. */
const BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === BUSY;
}

const serverRecord = z.object({
  pid: z.number(),
  address: z.string(),
  /** For the user's browser: the guard of the host (ui-guard.ts), which exists as long as the host. */
  ui: z.string().nullable(),
  /** The UI itself. */
  uiBehind: z.string().nullable(),
});

const hostRecord = z.object({
  pid: z.number(),
  taskQueue: z.string(),
  server: serverRecord,
  services: z.array(z.object({ service: z.string(), address: z.string(), credential: z.string() })),
  /** SHA-256 of its plugins. */
  plugins: z.array(z.string()),
  /** It answers queries and does no work. */
  lookOnly: z.boolean(),
  /** For a host that only reads: it stays until it is interrupted (`ui`); other such hosts end soon. */
  lasting: z.boolean(),
});

/** The process of `run --detach`: the host, or waiting to take over from a command that is the host. */
const backgroundRecord = z.object({ pid: z.number() });

/** Created once per folder. */
const identityRecord = z.object({ taskQueue: z.string() });

/** The latest time that Temporal's database has seen, or slightly earlier, in ms since 1970. */
const clockRecord = z.object({ wallMs: z.number() });

/** `id` distinguishes the services of two folders. */
const servicesRecord = z.object({ port: z.number(), id: z.string() });

export type ServerRecord = z.output<typeof serverRecord>;
export type HostRecord = z.output<typeof hostRecord>;

const RECORDS = {
  server: serverRecord,
  host: hostRecord,
  background: backgroundRecord,
  identity: identityRecord,
  services: servicesRecord,
  synthetic: servicesRecord,
  engines: servicesRecord,
  clock: clockRecord,
} as const;
type Records = { [K in keyof typeof RECORDS]: z.output<(typeof RECORDS)[K]> };

export function writeRecord<K extends keyof Records>(
  dir: string,
  name: K,
  record: Records[K],
): void {
  const file = join(dir, `${name}.json`);
  const temporary = `${file}.${process.pid}`;
  try {
    writeFileSync(temporary, `${JSON.stringify(record, null, 2)}\n`, { mode: PRIVATE_FILE });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw createFolderError(dir, error);
  }
}

/** null when it is missing or invalid. */
export function readRecord<K extends keyof Records>(dir: string, name: K): Records[K] | null {
  try {
    const raw: unknown = JSON.parse(readFileSync(join(dir, `${name}.json`), 'utf8'));
    return RECORDS[name].parse(raw) as Records[K];
  } catch {
    return null;
  }
}

export function removeRecord(dir: string, name: keyof Records): void {
  rmSync(join(dir, `${name}.json`), { force: true });
}

/** The server of the folder's host. */
export function describeEmbeddedServer(dir: string): EmbeddedServer {
  return { dir: resolve(dir), pid: () => readRecord(dir, 'server')?.pid ?? null };
}
