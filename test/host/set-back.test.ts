/** The database of a server whose clock was set back is moved aside, and the next command creates a new one. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isSetBack, markSetBack, setAsideAfterStep } from '../../src/host/set-back.ts';

const NOW = Date.UTC(2026, 10, 22, 12);

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hundredfold-set-back-'));
  for (const name of ['temporal.db', 'temporal.db-wal', 'services.db'])
    writeFileSync(join(dir, name), name);
});
afterEach(() => rmSync(dir, { recursive: true }));

const files = () => readdirSync(dir).sort();

test('a database without a mark is kept in place', () => {
  expect(setAsideAfterStep(dir, NOW)).toBeNull();
  expect(files()).toEqual(['services.db', 'temporal.db', 'temporal.db-wal']);
});

test('a database that a command has marked is moved aside completely, once', () => {
  markSetBack(dir);
  expect(isSetBack(dir)).toBe(true);
  const aside = 'temporal-before-2026-11-22T12-00-00-000Z.db';
  expect(setAsideAfterStep(dir, NOW)).toBe(aside);
  expect(files()).toEqual(['services.db', aside, `${aside}-wal`]);
  expect(isSetBack(dir)).toBe(false);
  expect(setAsideAfterStep(dir, NOW)).toBeNull();
});
