/** Local services that only listen on this machine must not be readable by web pages (DNS rebinding). */
import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { startLocalServices } from '../../src/local-services/server.ts';

function statusFor(url: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { host }, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });
}

const PAGES = ['/acpype/', '/online_predictors/api/'];

test('a name of another site is refused on every page', async () => {
  const services = await startLocalServices();
  onTestFinished(() => services.close());
  const { port } = new URL(services.url);
  for (const page of PAGES) {
    for (const name of [`evil.example:${port}`, 'evil.example', '127.0.0.1.evil.example']) {
      expect(await statusFor(`${services.url}${page}`, name), `${page} as ${name}`).toBe(403);
    }
    for (const name of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, '127.0.0.1']) {
      expect(await statusFor(`${services.url}${page}`, name), `${page} as ${name}`).not.toBe(403);
    }
  }
});

test('services that listen on all addresses answer under any name', async () => {
  const services = await startLocalServices({ host: '0.0.0.0' });
  onTestFinished(() => services.close());
  const url = services.url.replace('0.0.0.0', '127.0.0.1');
  expect(await statusFor(`${url}/acpype/`, 'services.example')).toBe(200);
});
