/** A wrong address is detected before anything is written or submitted. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { httpServer } from '../services/scripted-server.ts';
import { desk, type Typed } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

const HTML = '<!doctype html><title>Not Found</title>';

test('run refuses a server that answers 404 everywhere and says what is there, and so does doctor; only GETs are sent', async () => {
  const at = desk();
  await using server = await httpServer((_, response) => {
    response.writeHead(404, { 'content-type': 'text/html' }).end(HTML);
  });
  at.write('hundredfold.yaml', `services: { predictions: { url: "${server.url}/ap" } }`);
  peptides(at, 'night', 64);
  const { stderr } = await at.runs(2, ['run', 'night.csv'], { env: TOKEN });
  expect(stderr).toMatch(/HTTP 404, a web page "Not Found".*\[SERVICE_URL_WRONG\]/);
  expect(stderr).toContain('Check services.predictions.url');
  expect(existsSync(at.path('results', 'night', 'campaign')), 'nothing is laid out').toBe(false);
  const doctor = await at.runs(2, ['doctor'], { env: TOKEN });
  expect(doctor.stdout).toMatch(
    /^PROBLEM {2}service predictions: .* is not the prediction service: .*404.*\n {9}Check services\.predictions\.url/m,
  );
  expect(server.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('a campaign with accepted jobs continues with a warning if its service is down or another server', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 1, seconds: 3_600 });
  peptides(at, 'night', 2);
  const first = at.type(['run', 'night.csv', '--yes'], { env: TOKEN });
  await first.until(() => at.done('night') === 1, 'the first item ended');
  await interrupted(first);
  await service.end();

  const away = at.type(['run', 'night.csv', '--yes'], { env: TOKEN });
  await away.says('connection refused');
  await away.says('The campaign waits until the service works.');
  await away.says('1 of 2');
  await interrupted(away);

  const other = createServer((_, response) => response.writeHead(404).end(HTML));
  onTestFinished(() => void other.close());
  other.listen(Number(new URL(service.url).port), '127.0.0.1');
  await once(other, 'listening');
  const wrong = at.type(['run', 'night.csv', '--yes'], { env: TOKEN });
  await wrong.says('is not the prediction service');
  await wrong.says('1 of 2');
  await interrupted(wrong);
});

async function interrupted(command: Typed): Promise<void> {
  command.kill('SIGINT');
  await command.endsWith(130);
}
