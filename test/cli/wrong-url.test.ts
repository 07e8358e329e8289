/** An address with a mistake in it is found before anything is laid out or submitted. */
import { existsSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { httpServer } from '../services/scripted-server.ts';
import { desk } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

const HTML = '<!doctype html><title>Not Found</title>';

test('run refuses a typing mistake with the corrected address, and doctor shows it', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 10, seconds: 60 });
  const wrong = `${service.url}/online_predictors/ap`;
  at.write('hundredfold.yaml', `services: { predictions: { url: "${wrong}" } }`);
  peptides(at, 'night', 2);
  const { stderr } = await at.runs(2, ['run', 'night.csv'], { env: TOKEN });
  expect(stderr).toContain('SERVICE_URL_WRONG');
  expect(stderr).toContain(`Write services.predictions.url: ${service.url}.`);
  expect(existsSync(at.path('results', 'night', 'campaign')), 'nothing is laid out').toBe(false);
  const doctor = await at.runs(1, ['doctor'], { env: TOKEN });
  expect(doctor.stderr).toMatch(
    /^PROBLEM {2}service predictions: .* is not the prediction service: .*404.*\n {9}Write services\.predictions\.url: /m,
  );
  expect(await service.end()).toEqual([]);
});

test('run refuses a server that answers 404 everywhere; nothing is asked but GETs', async () => {
  const at = desk();
  await using server = await httpServer((_, response) => {
    response.writeHead(404, { 'content-type': 'text/html' }).end(HTML);
  });
  at.write('hundredfold.yaml', `services: { predictions: { url: "${server.url}" } }`);
  peptides(at, 'night', 64);
  const { stderr } = await at.runs(2, ['run', 'night.csv'], { env: TOKEN });
  expect(stderr).toMatch(/is not the prediction service: .*HTTP 404, a web page "Not Found"/);
  expect(server.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('a campaign with accepted jobs goes on with a warning, and a service that is away is waited for', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 1, seconds: 3_600 });
  peptides(at, 'night', 2);
  const first = at.type(['run', 'night.csv', '--yes'], { env: TOKEN });
  await first.until(() => at.done('night') === 1, 'the first item ended');
  first.kill('SIGINT');
  await first.endsWith(130);
  await service.end();
  const again = at.type(['run', 'night.csv', '--yes'], { env: TOKEN });
  await again.says('The campaign waits until the service is well.');
  await again.says('1 of 2');
  again.kill('SIGINT');
  await again.endsWith(130);
  rmSync(at.path('services.db'), { force: true });
});
