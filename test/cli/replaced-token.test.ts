/** A token that expires in the evening: nothing fails, and the campaign continues with a new one in the morning. */
import { expect, test } from 'vitest';
import { freePort } from '../../src/temporal/ports.ts';
import { desk } from './command.ts';
import { fragments } from './manifests.ts';
import { setFaults } from './rehearsal.ts';

test('run shows the refusal, waits, and continues with a new token', async () => {
  const at = desk();
  const port = await freePort();
  fragments(at, 'night', 6);
  at.write(
    'hundredfold.yaml',
    `services: { molecules: { url: "http://127.0.0.1:${port}/acpype", budget: { limit: 50, window: 60s } } }`,
  );
  const withToken = (token: string) => ({ env: { HUNDREDFOLD_MOLECULE_TOKEN: token } });
  const services = at.type([
    ...['services', '--engine', 'recorded', '--port', String(port), '--job-time', '300ms'],
    '--fault-control',
  ]);
  await services.says('Ctrl-C stops');
  const url = `http://127.0.0.1:${port}`;
  await setFaults(url, [{ name: 'expired-token' }]);

  const evening = at.type(['run', 'night.csv', '--yes'], withToken('expired890'));
  await evening.says('has refused requests since');
  const { stdout } = await at.runs(0, ['status', 'night', '--json']);
  const document = JSON.parse(stdout) as { items: unknown; obstacle: string };
  expect(document.items).toMatchObject({ failed: 0, held: 0, succeeded: 0 });
  expect(document.obstacle).toContain('HTTP 401');
  expect(document.obstacle).toContain('The token may have expired');
  const doctor = await at.runs(1, ['doctor'], withToken('expired890'));
  expect(doctor.stdout + doctor.stderr).toContain('has refused requests since');
  evening.kill('SIGINT');
  await evening.endsWith(130);

  await setFaults(url, []);
  await at.runs(0, ['run', 'night.csv', '--yes'], withToken('renewed890'));
  services.kill('SIGTERM');
  await services.endsWith(0);
  const journal = at.journal(at.path('services.db'));
  expect(
    journal.every(({ accepted }) => accepted),
    'no submission was refused',
  ).toBe(true);
});
