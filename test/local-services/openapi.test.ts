/** The OpenAPI documents match what the services check and answer. */
import { describe, expect, test } from 'vitest';
import type { LocalServices } from '../../src/local-services/server.ts';
import {
  api,
  get,
  postJson,
  start,
  submitMolecule,
  submitSequence,
  until,
} from './running-services.ts';

interface Operation {
  readonly operationId: string;
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example?: unknown }>>;
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Document {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

async function documentAt(url: string): Promise<Document> {
  const response = await fetch(`${url}/docs/json`);
  expect(response.status).toBe(200);
  return (await response.json()) as Document;
}

function operations(document: Document): { path: string; method: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

const SUBMISSION = ['200', '400', '413', '415', '429', '503'];

describe('the documents', () => {
  test('of the molecule service has every endpoint of its contract, and the website', async () => {
    const services = await start();
    const document = await documentAt(services.moleculesUrl);
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: '/acpype' }]);
    expect(Object.keys(document.paths)).toEqual([
      '/api',
      '/api/queue/{id}/',
      '/api/{id}/',
      '/',
      '/jobs/{id}/',
    ]);
    expect(Object.keys(document.paths['/api']?.['post']?.responses ?? {})).toEqual(
      expect.arrayContaining(SUBMISSION),
    );
  });

  test.each(['current', 'earlier'] as const)(
    'of the prediction service, %s, has every endpoint of its contract',
    async (variant) => {
      const services = await start({ variant });
      const document = await documentAt(services.url);
      const root = variant === 'current' ? '/online_predictors' : '/online-predictors';
      const base = `${root}/api`;
      expect(Object.keys(document.paths).sort()).toEqual(
        [
          `${base}/submit/single-sequence/`,
          `${base}/submit/msa/`,
          `${base}/submit/shiftcrypt/`,
          `${base}/results/{id}/`,
          `${base}/results/{id}/history/`,
          `${base}/results/{id}/download/`,
          `${root}/results/{id}/download/`,
          `${base}/past-results/single-sequence/`,
          `${base}/past-results/msa/`,
          `${base}/past-results/shiftcrypt/`,
          `${base}/past-results/shiftcrypt/alignment/`,
        ].sort(),
      );
      for (const { operation, method } of operations(document)) {
        const wanted = method === 'post' ? [...SUBMISSION, '409'] : ['200', '503'];
        expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(wanted));
      }
    },
  );

  test('name each operation once', async () => {
    const services = await start();
    for (const url of [services.url, services.moleculesUrl]) {
      const ids = operations(await documentAt(url)).map(({ operation }) => operation.operationId);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.every((id) => /^[a-z]\w+$/i.test(id))).toBe(true);
    }
  });

  test('contain examples that are accepted, and whose jobs succeed', async () => {
    const services = await start();
    const shown = await examples(services);
    expect(shown).toHaveLength(4);
    for (const { url, example, result } of shown) {
      const answer = await postJson(url, example);
      expect(answer.status, answer.text).toBe(200);
      expect((await until(result(answer.body))).status).toBe(200);
    }
  });

  test('are shown as a page that loads nothing from other hosts', async () => {
    const services = await start();
    for (const url of [services.url, services.moleculesUrl]) {
      const page = await get(`${url}/docs/`);
      expect(page.status).toBe(200);
      expect(page.headers.get('content-type')).toContain('text/html');
      expect(page.headers.get('content-security-policy')).not.toMatch(/https?:|upgrade/);
      const loaded = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, to]) => to ?? '');
      expect(loaded.length).toBeGreaterThan(2);
      for (const to of loaded) {
        const target = new URL(to, `${url}/docs/`);
        expect(target.origin).toBe(new URL(url).origin);
        expect((await fetch(target)).status, target.href).toBe(200);
      }
    }
  });
});

async function examples(services: LocalServices) {
  const found = [];
  for (const url of [services.moleculesUrl, services.url]) {
    for (const { path, operation } of operations(await documentAt(url))) {
      const example = operation.requestBody?.content['application/json']?.example;
      if (example === undefined) continue;
      const result = (body: { Location: string; request_id: string }): string =>
        url === services.moleculesUrl
          ? `${url}${body.Location}`
          : `${api(services)}/results/${body.request_id}/`;
      found.push({ url: url + path, example, result });
    }
  }
  return found;
}

describe('requests that do not match the documents are refused', () => {
  test('another method: 405 with the allowed ones', async () => {
    const services = await start();
    const answer = await fetch(`${services.moleculesUrl}/api`, { method: 'DELETE' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
    const get405 = await get(`${api(services)}/submit/msa/`);
    expect(get405.status).toBe(405);
    expect(get405.body).toEqual({ error: 'This path answers POST.' });
  });

  test('all errors of a body are reported at once', async () => {
    const services = await start();
    const molecule = await submitMolecule(services, { charge_method: 'am1', token: 'short' });
    expect(molecule.body.error).toBe(
      'token must have 10 characters. charge_method must be one of bcc, gas.',
    );
    const sequence = await submitSequence(services, { token: '', predictor_type: 7 });
    expect(sequence.body.error).toBe('token is required. predictor_type must be a string.');
  });

  test.each(['', '; boundary='])('multipart without a boundary (%j): 400', async (boundary) => {
    const services = await start();
    const answer = await fetch(`${api(services)}/submit/msa/`, {
      method: 'POST',
      headers: { 'content-type': `multipart/form-data${boundary}` },
      body: 'token=x',
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ error: expect.stringContaining('multipart') });
  });

  test('lengths are counted in characters: a hundred emoji are a token', async () => {
    const services = await start();
    expect((await submitSequence(services, { token: '🧬'.repeat(100) })).status).toBe(200);
    expect((await submitSequence(services, { token: '🧬'.repeat(101) })).status).toBe(400);
  });
});
