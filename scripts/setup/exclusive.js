/**
 * One set-up at a time: two commands started at once must not both empty node_modules.
 * A lock file with the owner's process id; one left by a process that is gone is broken.
 */
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupProblem } from '../../src/program/problem.js';

/** Longer than a cold set-up on a slow line. */
const PATIENCE_MS = 20 * 60_000;
const LOOK_AGAIN_MS = 200;

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function isAlive(text) {
  const [host, pid] = text.split('\n');
  // The process may be on another machine with a shared disk, and cannot be checked: assume that it runs.
  if (host !== hostname()) return true;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Content and name appear together: an incomplete lock would look like a dead owner's. */
function take(path, mine) {
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, mine);
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft);
  }
}

/** Moved aside and checked again: in between another process may have acquired the lock again. */
function breakDead(path, seen) {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (read(aside) !== seen) linkSync(aside, path);
  rmSync(aside);
}

/** Runs `work` while holding the lock; `onWait` is called once if another process holds it. */
export async function exclusively(path, work, onWait) {
  mkdirSync(dirname(path), { recursive: true });
  const mine = `${hostname()}\n${process.pid}\n${randomUUID()}`;
  const giveUpAt = Date.now() + PATIENCE_MS;
  let reported = false;
  while (!take(path, mine)) {
    const seen = read(path);
    if (seen !== null && !isAlive(seen)) {
      breakDead(path, seen);
      continue;
    }
    if (!reported) onWait();
    reported = true;
    if (Date.now() > giveUpAt) {
      throw new SetupProblem(
        'SETUP_LOCKED',
        'Another set-up of this checkout has been running for 20 minutes.',
        `End it, or delete ${path} when there is none, then start again.`,
      );
    }
    await sleep(LOOK_AGAIN_MS);
  }
  try {
    return await work();
  } finally {
    if (read(path) === mine) rmSync(path);
  }
}
