/** The options of the local services: invalid ones are refused at the start. */
import { createServer } from 'node:net';
import { writeFileSync } from 'node:fs';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { settingsOf } from '../../src/local-services/options.ts';
import { databaseFile, start } from './running-services.ts';

test.each([
  ['limit', { limit: -1 }],
  ['limit', { limit: 1.5 }],
  ['windowMs', { windowMs: 0 }],
  ['concurrency', { concurrency: Number.NaN }],
  ['engine', { engine: 'imaginary' as 'recorded' }],
  ['variant', { variant: 'later' as 'earlier' }],
  ['jobMs', { jobMs: -5 }],
])('a wrong %s is refused, and the option is named', (name, options) => {
  expect(() => settingsOf(options)).toThrow(
    expect.objectContaining({
      code: 'LOCAL_SERVICES_OPTION',
      message: expect.stringContaining(`option ${name} `),
    }),
  );
});

test('the limit of an address is higher than that of a token, and is disabled together with it', () => {
  expect(settingsOf({}).addressLimit).toBe(300);
  expect(settingsOf({ limit: 1000 }).addressLimit).toBe(3000);
  expect(settingsOf({ limit: 0 }).addressLimit).toBe(0);
  expect(settingsOf({ limit: 1000, addressLimit: 5 }).addressLimit).toBe(5);
});

test('a port in use is refused, with a remedy', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  await expect(start({ port })).rejects.toMatchObject({ code: 'LOCAL_SERVICES_PORT' });
  taken.close();
});

test('a file that is not a database is refused', async () => {
  const database = databaseFile();
  writeFileSync(database, 'a letter, long enough to be no empty database file'.repeat(20));
  await expect(start({ database })).rejects.toMatchObject({ code: 'LOCAL_SERVICES_DATABASE' });
});
