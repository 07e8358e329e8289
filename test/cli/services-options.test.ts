/** Options of the command `hundredfold services`, as a user types them. */
import { expect, test } from 'vitest';
import { freePort } from '../../src/temporal/ports.ts';
import { desk } from './command.ts';

const MOLECULE = {
  inputFile: null,
  file_name: 'ethanol',
  token: 'tokenof10c',
  charge_method: 'bcc',
  net_charge: null,
  atom_type: 'gaff2',
  email: null,
  smiles: 'CCO',
};

interface Body {
  readonly hash_id: string;
  readonly log?: string;
}

test('--job-time-limit and --fault-control reach the services', async () => {
  const at = desk();
  const port = String(await freePort());
  const options = ['--engine', 'synthetic', '--job-time', '60s', '--job-time-limit', '200ms'];
  const more = ['--fault-control'];
  const services = at.type(['services', '--port', port, ...options, ...more]);
  await services.says('Ctrl-C stops');
  const url = `http://127.0.0.1:${port}`;
  expect(services.stderr).toContain(`${url}/acpype`);
  const headers = { 'Content-Type': 'application/json' };
  const submitted = await fetch(`${url}/acpype/api`, {
    method: 'POST',
    headers,
    body: JSON.stringify(MOLECULE),
  });
  const { hash_id: id } = (await submitted.json()) as Body;
  let log = '';
  await services.until(() => {
    void fetch(`${url}/acpype/api/${id}/`)
      .then(async (answer) => (await answer.json()) as Body)
      .then((body) => (log = body.log ?? ''));
    return log.includes('stopped at its time limit');
  }, 'the job was stopped at its time limit');
  await fetch(`${url}/_faults`, {
    method: 'PUT',
    headers,
    body: '[{"name":"maintenance-html"}]',
  });
  const page = await fetch(`${url}/acpype/api/${id}/`);
  expect(await page.text()).toContain('Scheduled maintenance');
});

test.each([
  ['--smtp', 'localhost:25'],
  ['--job-time-limit', 'soon'],
])('%s %s is refused with the expected values', async (option, value) => {
  const ended = await desk().runs(1, ['services', '--port', '0', option, value]);
  expect(ended.stderr).toContain(value);
  expect(ended.stderr).not.toContain('    at ');
});
