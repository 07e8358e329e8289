/** Charge models beyond the contract: a service is asked for its OpenAPI document, and for nothing else. */
import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { ChargeMethod } from '../../../src/domain/item.ts';
import type { OfferOutcome } from '../../../src/domain/outcomes.ts';
import type { Job, ServiceClient } from '../../../src/services/client.ts';
import { createMoleculesClient } from '../../../src/services/molecules/client.ts';
import { chargeMethodsIn } from '../../../src/services/molecules/offer.ts';
import { start } from '../../local-services/running-services.ts';
import { JOBS, quiet, TOKEN } from '../jobs.ts';
import { httpServer, json, type SeenRequest } from '../scripted-server.ts';

const NEWER = '2026.10.15';

function jobWith(chargeMethod: ChargeMethod): Job {
  const options = { kind: 'molecule', chargeMethod, netCharge: null, atomType: 'gaff2' } as const;
  return { ...JOBS.molecule, options };
}

function clientAt(url: string): ServiceClient {
  const client = createMoleculesClient({ url, token: TOKEN });
  onTestFinished(() => client.close());
  return client;
}

const offered = (url: string, method: ChargeMethod): Promise<OfferOutcome> =>
  clientAt(url).offer(jobWith(method), quiet());

test('local services announce abcg2 only with the newer ACPYPE', async () => {
  const [newer, older] = [await start({ acpypeVersion: NEWER }), await start()];
  expect(await offered(newer.moleculesUrl, 'abcg2')).toEqual({ type: 'offered' });
  expect(await offered(older.moleculesUrl, 'abcg2')).toEqual({
    type: 'notOffered',
    code: 'CHARGE_METHOD_NOT_OFFERED',
    message: `charge_method abcg2 is not offered by the service molecules at ${older.moleculesUrl}: it announces bcc, gas`,
    remedy: expect.stringContaining('services --acpype 2026.10.15') as string,
  });
});

test('the recorded engine has no run with abcg2, so its service does not announce it', async () => {
  const services = await start({ acpypeVersion: NEWER, engine: 'recorded' });
  expect(await offered(services.moleculesUrl, 'abcg2')).toMatchObject({ type: 'notOffered' });
});

type Answer = (request: SeenRequest, response: ServerResponse) => void;

/** A service with this answer for its document, and contract answers for everything else. */
async function serviceWith(document: Answer) {
  const server = await httpServer((request, response) => {
    if (request.path.endsWith('/docs/json')) document(request, response);
    else json(response, 404, { error: 'not found' });
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

test('values of the contract are sent without a request for the document', async () => {
  const server = await serviceWith((_, response) => json(response, 500, {}));
  for (const method of ['bcc', 'gas'] as const) {
    expect(await offered(server.url, method)).toEqual({ type: 'offered' });
  }
  expect(server.requests).toEqual([]);
});

test.each<[string, Answer, string]>([
  ['no document', (_, response) => json(response, 404, {}), 'HTTP 404'],
  ['a document that needs a login', (_, response) => json(response, 401, {}), 'HTTP 401'],
  ['a document that fails', (_, response) => json(response, 500, {}), 'HTTP 500'],
  ['a web page', (_, response) => response.end('<html></html>'), 'lists no values'],
  ['JSON of another kind', (_, response) => json(response, 200, ['abcg2']), 'lists no values'],
])('%s announces nothing', async (_, answer, words) => {
  const server = await serviceWith(answer);
  const outcome = await offered(`${server.url}/mol`, 'abcg2');
  expect(outcome).toMatchObject({ type: 'notOffered', code: 'CHARGE_METHOD_NOT_OFFERED' });
  expect('message' in outcome && outcome.message).toContain(words);
  expect(server.requests.map(({ method }) => method)).not.toContain('POST');
  expect(JSON.stringify(server.requests)).not.toContain(TOKEN);
});

test('an unavailable service is retried later, and no row is refused', async () => {
  const down = await httpServer((_, response) => json(response, 503, {}));
  onTestFinished(() => down[Symbol.asyncDispose]());
  expect(await offered(down.url, 'abcg2')).toMatchObject({ type: 'unavailable' });
  const gone = await httpServer(() => undefined);
  await gone[Symbol.asyncDispose]();
  expect(await offered(gone.url, 'abcg2')).toMatchObject({ type: 'unavailable' });
});

test('many rows cause one request', async () => {
  const server = await serviceWith((_, response) => json(response, 200, documentWith(['abcg2'])));
  const client = clientAt(server.url);
  const answers = Array.from({ length: 20 }, () => client.offer(jobWith('abcg2'), quiet()));
  expect(new Set((await Promise.all(answers)).map(({ type }) => type))).toEqual(
    new Set(['offered']),
  );
  expect(server.requests).toHaveLength(1);
});

function documentWith(values: unknown) {
  const schema = { properties: { charge_method: { enum: values } } };
  const requestBody = { content: { 'application/json': { schema } } };
  return { paths: { '/api': { post: { requestBody } } } };
}

test('references in a document are resolved; other shapes announce nothing', () => {
  expect(chargeMethodsIn(documentWith(['bcc', 7, 'abcg2']))).toEqual(['bcc', 'abcg2']);
  const schema = { $ref: '#/components/schemas/a~1b' };
  const requestBody = { content: { 'application/json': { schema } } };
  const components = {
    schemas: {
      'a/b': { properties: { charge_method: { $ref: '#/components/schemas/method' } } },
      method: { enum: ['abcg2'] },
    },
  };
  const paths = { '/api': { post: { requestBody } } };
  expect(chargeMethodsIn({ paths, components })).toEqual(['abcg2']);
  for (const other of [{}, { paths: [] }, documentWith('abcg2'), { paths }]) {
    expect(chargeMethodsIn(other)).toBeNull();
  }
});
