/** `hundredfold codec-server` as a user starts it. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { freePort } from '../../src/temporal/ports.ts';
import { desk } from './command.ts';

test('codec-server runs until it is stopped, and shows no key', async () => {
  const at = desk();
  const key = randomBytes(32).toString('base64');
  at.write('key', key);
  at.write('hundredfold.yaml', 'temporal: { codec: { key: a, keys: { a: { file: key } } } }');
  const port = await freePort();
  const ui = 'http://localhost:8233';
  const server = at.type(['codec-server', '--port', String(port), '--ui-origin', `${ui}/`]);
  await server.says('codec server at');
  const answer = await fetch(`http://127.0.0.1:${port}/encode`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: ui },
    body: '{"payloads":[{"metadata":{},"data":""}]}',
  });
  expect(answer.headers.get('access-control-allow-origin')).toBe(ui);
  expect(await answer.json()).toMatchObject({
    payloads: [{ metadata: { encoding: 'YmluYXJ5L2VuY3J5cHRlZA==' } }],
  });
  server.kill('SIGTERM');
  const { stdout, stderr } = await server.endsWith(0);
  expect(stdout + stderr).not.toContain(key);
});

test('codec-server does not start without keys, or without the origin of the UI', async () => {
  const at = desk();
  const { stderr } = await at.runs(2, ['codec-server', '--ui-origin', 'http://localhost:8233']);
  expect(stderr).toContain('[CONFIG_NO_CODEC]');
  expect((await at.runs(1, ['codec-server'])).stderr).toContain('--ui-origin');
  const path = ['codec-server', '--ui-origin', 'http://localhost:8233/path'];
  expect((await at.runs(1, path)).stderr).toContain('without a path');
});
