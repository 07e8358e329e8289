/**
 * The path of Temporal's time-skipping test server, for the one test that runs nine hours in a minute. Optional,
 * because it needs Java; `npm run setup:time-skipping` downloads it.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { TEST_SERVER_VERSION } from './time-skipping-jars.ts';

const ROOT = join(import.meta.dirname, '..');

/** Outside node_modules, which `npm ci` empties. */
export function testServerFolder(root = ROOT): string {
  return join(root, '.tools', `temporal-test-server-${TEST_SERVER_VERSION}`);
}

type TimeSkippingServer =
  | { readonly path: string }
  /** Why it is missing, in a few words. */
  | { readonly missing: string };

/** A program with a port as its argument, as for the SDK's `existing-path`. */
export function findTimeSkippingServer(root = ROOT): TimeSkippingServer {
  const path = join(testServerFolder(root), 'temporal-test-server');
  if (!hasJava()) return { missing: 'Java is not installed' };
  try {
    accessSync(path, constants.X_OK);
    return { path };
  } catch {
    return { missing: 'the test server is not fetched: npm run setup:time-skipping' };
  }
}

export function hasJava(): boolean {
  return spawnSync('java', ['-version']).status === 0;
}

/**
 * The program: Java replaces the shell, so that it gets its signals, and a watcher runs beside it, because a test
 * process that is killed sends none and would leave Java behind forever.
 */
export const PROGRAM = `#!/bin/sh
folder=$(dirname "$0")
server=$$
parent=$PPID
(
  while kill -0 "$parent" && kill -0 "$server"; do sleep 1; done
  kill -9 "$server"
) </dev/null >/dev/null 2>&1 &
exec java -cp "$folder/jars/*" io.temporal.testserver.TestServer "$@"
`;
