/** The local services behind a reverse proxy: below its path, with its address, trusting it only with the option. */
import { expect, test } from 'vitest';
import { settingsOf } from '../../src/local-services/options.ts';
import { api, get, start, submitMolecule, submitSequence, TOKEN } from './running-services.ts';

const FORWARDED = {
  'X-Forwarded-For': '203.0.113.9, 198.51.100.7',
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-Host': 'science.example',
  'X-Forwarded-Prefix': '/public/',
};

const root = (url: string): string => new URL('/', url).href.slice(0, -1);

test('answers below the base path, and includes it in every path', async () => {
  const services = await start({ basePath: '/tools/md/', jobMs: 60_000 });
  expect(new URL(services.url).pathname).toBe('/tools/md');
  const { body } = await submitSequence(services);
  const result = await get(`${api(services)}/results/${body.request_id}/`);
  const path = `/tools/md/online_predictors/api/results/${body.request_id}/history/`;
  expect(result.body.history_url).toBe(path);
  expect((await get(root(services.url) + path)).status).toBe(200);
  const past = await get(`${api(services)}/past-results/single-sequence/`, {
    'X-Service-Token': TOKEN,
  });
  expect(past.list[0]?.history_url).toBe(path);
  const { body: molecule } = await submitMolecule(services, { public: true });
  expect((await get(services.moleculesUrl + molecule.Location)).status).toBe(202);
  const list = await get(`${services.moleculesUrl}/`);
  expect(list.text).toContain(`href="/tools/md/acpype/jobs/${molecule.hash_id}/"`);
  const document = JSON.parse((await get(`${services.moleculesUrl}/docs/json`)).text) as unknown;
  expect(document).toMatchObject({ servers: [{ url: '/tools/md/acpype' }] });
});

test('answers a proxy that removes the base path, and nothing under a path that only has the same prefix', async () => {
  const services = await start({ basePath: '/tools' });
  expect((await get(`${root(services.url)}/acpype/`)).status).toBe(200);
  expect((await get(`${root(services.url)}/toolsacpype/`)).status).toBe(404);
});

test('a gateway assigns requests below the base path to the right service', async () => {
  const services = await start({ basePath: '/tools', gateway: 'firewall-403' });
  await submitMolecule(services);
  await submitSequence(services);
  expect(services.gateway.answered()).toMatchObject([
    { service: 'molecules', path: '/tools/acpype/api' },
    { service: 'predictions' },
  ]);
});

test.each([
  { title: 'without --trust-proxy', options: { gateway: undefined } },
  { title: 'without --trust-proxy, through the gateway', options: { gateway: null } },
])('ignores X-Forwarded headers $title', async ({ options: { gateway } }) => {
  const services = await start({ jobMs: 60_000, ...(gateway === undefined ? {} : { gateway }) });
  const { body } = await submitSequence(services, {}, FORWARDED);
  const result = await get(`${api(services)}/results/${body.request_id}/`, FORWARDED);
  expect(result.body.history_url).toMatch(/^\/online_predictors\//);
  expect(services.journal()[0]?.address).toMatch(/127\.0\.0\.1$/);
  const document = JSON.parse((await get(`${services.url}/docs/json`, FORWARDED)).text) as unknown;
  expect(document).toMatchObject({ servers: [{ url: '/' }] });
});

test.each([
  { title: 'alone', more: {} },
  { title: 'with a gateway between', more: { gateway: null } },
])('trusts the nearest proxy with --trust-proxy, $title', async ({ more }) => {
  const services = await start({ trustProxy: true, jobMs: 60_000, ...more });
  const { body } = await submitSequence(services, {}, FORWARDED);
  const result = await get(`${api(services)}/results/${body.request_id}/`, FORWARDED);
  expect(result.body.history_url).toMatch(/^\/public\/online_predictors\/api\/results\//);
  expect(services.journal()[0]?.address, 'what the nearest proxy wrote').toBe('198.51.100.7');
  const document = JSON.parse((await get(`${services.url}/docs/json`, FORWARDED)).text) as unknown;
  expect(document).toMatchObject({ servers: [{ url: 'https://science.example/public' }] });
});

test('ignores an invalid prefix or host', async () => {
  const services = await start({ trustProxy: true, basePath: '/tools' });
  const headers = {
    'X-Forwarded-Prefix': '/"><script>',
    'X-Forwarded-Host': 'evil.example/path',
  };
  const document = JSON.parse((await get(`${services.url}/docs/json`, headers)).text) as unknown;
  expect(document).toMatchObject({ servers: [{ url: '/tools' }] });
});

test.each(['tools', '/a//b', '/a/../b', '/a?b', '/ü'])('refuses the base path %s', (basePath) => {
  expect(() => settingsOf({ basePath })).toThrow(
    expect.objectContaining({ code: 'LOCAL_SERVICES_OPTION' }),
  );
});
