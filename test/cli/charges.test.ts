/** `budget --charges`: the submissions in the ledger are those that the service saw. */
import { expect, test } from 'vitest';
import type { PrintedCharge } from '../../src/cli/text/charges.ts';
import { startLocalServices } from '../../src/local-services/server.ts';
import { sequences } from '../rig.ts';
import { desk } from './command.ts';

const TOKEN = { HUNDREDFOLD_PREDICTION_TOKEN: 'pCharges~9Z' };
const ROWS = 8;

test('every job of the service has a charge, and its service timestamp lies between the times of the charge', async () => {
  const at = desk();
  const services = await startLocalServices({
    engine: 'synthetic',
    jobMs: 100,
    limit: 20,
    windowMs: 600_000,
    gateway: 'slow-answers',
  });
  try {
    const config = at.write(
      'hundredfold.yaml',
      `services: { predictions: { url: "${services.url}", budget: { limit: 20, window: 10m } } }`,
    );
    at.write(
      'rows.jsonl',
      sequences(ROWS)
        .map((row) => JSON.stringify(row))
        .join('\n'),
    );
    await at.type(['run', 'rows.jsonl', '--config', config], { env: TOKEN }).endsWith(0);
    const look = ['budget', '--charges', '--config', config];
    const { stdout } = await at.type([...look, '--json']).endsWith(0);
    const { budgets, charges } = JSON.parse(stdout) as {
      budgets: readonly { service: string }[];
      charges: readonly PrintedCharge[];
    };
    expect(budgets.map(({ service }) => service)).toEqual(['predictions']);
    const journal = services.journal().filter(({ accepted }) => accepted);
    expect(charges.map(({ remoteId }) => remoteId).sort()).toEqual(
      journal.map(({ requestId }) => requestId).sort(),
    );
    for (const { requestId, at: stamp } of journal) {
      const charge = charges.find(({ remoteId }) => remoteId === requestId);
      expect(charge).toMatchObject({ source: 'ours', state: 'charged', counts: true });
      const ms = (iso: string | null | undefined) => Date.parse(iso ?? '');
      expect(ms(charge?.sentAt), 'sent').toBeLessThanOrEqual(stamp);
      expect(ms(charge?.answeredAt), 'answered').toBeGreaterThanOrEqual(stamp);
      // Stored by the steady clock and shown by the wall clock, which is adjusted by milliseconds all day.
      expect(ms(charge?.countsFrom), 'counts from').toBeGreaterThanOrEqual(
        ms(charge?.answeredAt) - 1_000,
      );
      expect(ms(charge?.releasedAt), 'released').toBe(ms(charge?.countsFrom) + 600_025);
    }
    const table = (await at.type(look).endsWith(0)).stdout.trim().split('\n');
    expect(table).toHaveLength(ROWS + 1);
    expect(table[0]).toMatch(/^service\taddress\tcredential\tsource/);
    expect(stdout + table.join()).not.toContain(TOKEN.HUNDREDFOLD_PREDICTION_TOKEN);
  } finally {
    await services.close();
  }
}, 180_000);
