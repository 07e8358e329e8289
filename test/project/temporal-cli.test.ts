import { chmodSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { TemporalCliError, atLeast, findTemporalCli } from '../../src/program/temporal-cli.js';
import { Checkout } from './checkout.ts';

const OWN = '.tools/temporal-1.9.1/temporal';

function ownCopy(checkout: Checkout): string {
  const path = checkout.write(OWN, '#!/bin/sh\n');
  chmodSync(path, 0o755);
  return path;
}

function find(checkout: Checkout, env: Record<string, string> = {}) {
  return findTemporalCli({
    root: checkout.root,
    env: { PATH: checkout.path('stand-ins'), HOME: checkout.root, ...env },
  });
}

describe('the Temporal CLI is taken', () => {
  test('from TEMPORAL_CLI before anything else', () => {
    using checkout = new Checkout();
    ownCopy(checkout);
    const chosen = checkout.path('stand-ins/temporal');
    expect(find(checkout, { TEMPORAL_CLI: chosen })).toEqual({
      path: chosen,
      source: 'environment',
    });
  });

  test('from the project’s own copy before PATH', () => {
    using checkout = new Checkout();
    expect(find(checkout)?.source).toBe('path');
    const own = ownCopy(checkout);
    expect(find(checkout)).toEqual({ path: own, source: 'project' });
  });

  test('from the user’s cache before PATH', () => {
    using checkout = new Checkout();
    const shared = checkout.write('.cache/hundredfold/temporal-1.9.1/temporal', '#!/bin/sh\n');
    chmodSync(shared, 0o755);
    expect(find(checkout)).toEqual({ path: shared, source: 'cache' });
    expect(find(checkout, { XDG_CACHE_HOME: checkout.path('empty') })?.source).toBe('path');
    expect(find(checkout, { XDG_CACHE_HOME: 'relative' })?.source).toBe('cache');
  });

  test('from PATH if it is not older than the pinned one', () => {
    using checkout = new Checkout();
    checkout.program('temporal', 'echo temporal version 1.10.0');
    expect(find(checkout)?.source).toBe('path');
    checkout.program('temporal', 'echo temporal version 1.5.1');
    expect(find(checkout)).toBeNull();
  });

  test('but not from another program with its name', () => {
    using checkout = new Checkout();
    checkout.program('temporal', 'echo a time machine, version 9.9.9');
    expect(find(checkout)).toBeNull();
    checkout.program('temporal', 'exit 1');
    expect(find(checkout)).toBeNull();
  });
});

test('a TEMPORAL_CLI that cannot be run is an error, not ignored', () => {
  using checkout = new Checkout();
  const file = checkout.write('not-executable', '');
  expect(() => find(checkout, { TEMPORAL_CLI: file })).toThrow(TemporalCliError);
  expect(() => find(checkout, { TEMPORAL_CLI: checkout.root })).toThrow(TemporalCliError);
});

test('versions are compared as numbers', () => {
  expect(atLeast('1.10.0', '1.9.1')).toBe(true);
  expect(atLeast('1.9.1', '1.9.1')).toBe(true);
  expect(atLeast('1.9.0', '1.9.1')).toBe(false);
  expect(atLeast('2.0.0', '1.9.1')).toBe(true);
});
