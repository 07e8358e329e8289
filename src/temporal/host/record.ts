/**
 * Files that a host leaves in its folder for other processes: `host.json` while it runs, `server.json` as long as its
 * Temporal server lives, which may be longer than the host (kill -9), `services.json` and `synthetic.json` once local
 * services were used there, `background.json` for the process of `run --detach`, `clock.json` for the next host to compare its clock with,
 * and `identity.json` permanently. Written whole: others read at any time.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { PRIVATE_FILE } from '../../state.ts';
import { createFolderError } from './lock.ts';

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
