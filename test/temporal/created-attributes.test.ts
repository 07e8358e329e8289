/** An embedded server that has our search attributes from the start rarely reads its namespaces again. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findTemporalCli } from '../../src/program/temporal-cli.js';
import { createdWith } from '../../src/temporal/created-attributes.ts';
import { startDevServer, stopDevServer } from '../../src/temporal/dev-server.ts';
import { runsAs } from '../../src/temporal/processes.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hundredfold-attributes-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

test('a database that does not exist yet is created with all attributes', () => {
  expect(createdWith(database(), ['Campaign', 'Item'], dir)).toBe(true);
  writeFileSync(database(), '');
  expect(createdWith(database(), ['Campaign'], dir)).toBe(true);
  expect(createdWith(database(), ['Campaign', 'State'], dir)).toBe(false);
});

test('a database of an older version, or a damaged record, does not count', () => {
  writeFileSync(database(), '');
  expect(createdWith(database(), ['Campaign'], dir)).toBe(false);
  for (const text of ['', '"Campaign"', '["Campaign"']) {
    writeFileSync(join(dir, 'attributes.json'), text);
    expect(createdWith(database(), ['Campaign'], dir)).toBe(false);
  }
});

test('a folder that cannot be written to does not keep the server from starting', () => {
  const missing = join(dir, 'missing');
  expect(createdWith(join(missing, 'temporal.db'), ['Campaign'], missing)).toBe(false);
});

test('only a server without our attributes reads its namespaces every 2 s, to know them soon', async () => {
  expect(await startReadsRarely()).toBe(true);
  expect(await startReadsRarely()).toBe(true);
  rmSync(join(dir, 'attributes.json'));
  expect(await startReadsRarely()).toBe(false);
});

const database = (): string => join(dir, 'temporal.db');

async function startReadsRarely(): Promise<boolean> {
  const executable = findTemporalCli()?.path ?? 'temporal';
  const server = await startDevServer({ executable, dir, headless: true });
  try {
    return runsAs(server.pid, 'system.namespaceCacheRefreshInterval="10s"');
  } finally {
    await stopDevServer(server);
  }
}
