import { describe, expect, test } from 'vitest';
import type { ArtefactName, FetchOutcome } from '../../../src/domain/outcomes.ts';
import { createClient } from '../../../src/services/registry.ts';
import { collect } from '../collect.ts';
import { quiet, TOKEN } from '../jobs.ts';
import { deadUrl, httpServer, json, rawServer } from '../scripted-server.ts';

async function fetched(
  url: string,
  artefact: ArtefactName,
  use: (outcome: FetchOutcome) => Promise<void>,
  deadlineMs = 2_000,
): Promise<void> {
  const client = createClient({
    service: 'predictions',
    url,
    token: TOKEN,
    deadlineMs,
  });
  try {
    await use(await client.fetch('r-1', artefact, quiet()));
  } finally {
    await client.close();
  }
}

async function bytesOf(outcome: FetchOutcome): Promise<Buffer> {
  if (outcome.type !== 'found') throw new Error(`not found: ${JSON.stringify(outcome)}`);
  return collect(outcome.body);
}

describe('each artefact has its path', () => {
  test.each([
    ['result', '/online_predictors/api/results/r-1/', undefined],
    ['history', '/online_predictors/api/results/r-1/history/', undefined],
    ['csv', '/online_predictors/api/results/r-1/download/?format=csv', TOKEN],
    ['metadata', '/online_predictors/api/results/r-1/download/?format=metadata', TOKEN],
    ['distributions', '/online_predictors/api/results/r-1/download/?format=distributions', TOKEN],
  ] as const)('%s', async (artefact, path, token) => {
    await using server = await httpServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/csv', 'content-length': '5' });
      response.end('a,b\n1');
    });
    await fetched(server.url, artefact, async (outcome) => {
      expect(outcome).toMatchObject({ type: 'found', contentType: 'text/csv', contentLength: 5 });
      expect((await bytesOf(outcome)).toString()).toBe('a,b\n1');
    });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.path).toBe(path);
    expect(server.requests[0]?.headers['x-service-token']).toBe(token);
  });

  test('the bytes are not changed', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 0xc3, 0x28]);
    await using server = await httpServer((_, response) => response.end(bytes));
    await fetched(server.url, 'result', async (outcome) => {
      expect(await bytesOf(outcome)).toEqual(bytes);
    });
  });

  test('an artefact that the service does not know is absent', async () => {
    await fetched(await deadUrl(), 'record', async (outcome) => {
      await Promise.resolve();
      expect(outcome.type).toBe('absent');
    });
  });
});

describe('a download path without /api/ (contract 4.6, the sample)', () => {
  test('is tried when the first is not known', async () => {
    await using server = await httpServer((request, response) => {
      if (request.path.includes('/api/')) json(response, 404, { error: 'no such path' });
      else response.end('a,b');
    });
    await fetched(server.url, 'csv', async (outcome) => {
      expect((await bytesOf(outcome)).toString()).toBe('a,b');
    });
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/online_predictors/api/results/r-1/download/?format=csv',
      '/online_predictors/results/r-1/download/?format=csv',
    ]);
  });

  test('a page of the website at this path is not a file', async () => {
    await using server = await httpServer((request, response) => {
      if (request.path.includes('/api/')) json(response, 404, { error: 'no distributions' });
      else json(response, 200, '<html>home</html>', { 'content-type': 'text/html' });
    });
    await fetched(server.url, 'distributions', async (outcome) => {
      await Promise.resolve();
      expect(outcome).toEqual({ type: 'absent', status: 404, message: 'no distributions' });
    });
  });

  test('is not tried for another refusal', async () => {
    await using server = await httpServer((_, response) =>
      json(response, 403, { error: 'not yours' }),
    );
    await fetched(server.url, 'csv', async (outcome) => {
      await Promise.resolve();
      expect(outcome).toMatchObject({ type: 'unavailable', refusesUs: true });
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe('not now', () => {
  test.each([202, 302, 408, 409, 429, 500, 503])('HTTP %i', async (status) => {
    await using server = await httpServer((_, response) => {
      json(response, status, { error: 'x' }, { 'retry-after': '4' });
    });
    await fetched(server.url, 'result', async (outcome) => {
      await Promise.resolve();
      expect(outcome).toMatchObject({ type: 'unavailable', retryAfterMs: 4_000 });
    });
  });

  test('a page or a compressed body with 200', async () => {
    for (const headers of [{ 'content-type': 'text/html' }, { 'content-encoding': 'gzip' }]) {
      await using server = await httpServer((_, response) =>
        json(response, 200, 'x', { ...headers }),
      );
      await fetched(server.url, 'result', async (outcome) => {
        await Promise.resolve();
        expect(outcome.type).toBe('unavailable');
      });
    }
  });
});

describe('a truncated download is an error, and not a short file', () => {
  test.each([
    ['closed', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', false],
    ['reset', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', true],
    [
      'a chunk is missing',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n',
      false,
    ],
  ])('%s', async (_, text, reset) => {
    await using server = await rawServer(text, (socket) => {
      if (reset) socket.resetAndDestroy();
      else socket.end();
    });
    await fetched(server.url, 'result', async (outcome) => {
      await expect(bytesOf(outcome)).rejects.toMatchObject({ code: 'DOWNLOAD_BROKEN' });
    });
  });

  test('a server that stalls in the middle', async () => {
    const text = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf';
    await using server = await rawServer(text, () => undefined);
    // The silence is detected after one deadline; undici checks about once a second.
    await fetched(
      server.url,
      'result',
      async (outcome) => {
        await expect(bytesOf(outcome)).rejects.toMatchObject({ code: 'DOWNLOAD_BROKEN' });
      },
      500,
    );
  });

  test('aborting closes the connection', async () => {
    let closed = (): void => undefined;
    const gone = new Promise<void>((resolve) => (closed = resolve));
    await using server = await httpServer((_, response) => {
      const timer = setInterval(() => response.write('x'.repeat(65_536)), 1);
      response.on('close', () => {
        clearInterval(timer);
        closed();
      });
    });
    await fetched(server.url, 'result', async (outcome) => {
      if (outcome.type !== 'found') throw new Error(outcome.message);
      for await (const chunk of outcome.body) {
        expect(chunk.byteLength).toBeGreaterThan(0);
        break;
      }
      await gone;
    });
  });
});

describe('the artefacts of a kind', () => {
  test.each(['current', 'earlier'] as const)('%s variant: the result first', async (variant) => {
    const client = createClient({
      service: 'predictions',
      url: 'http://x.invalid',
      config: { variant },
      token: TOKEN,
    });
    expect(client.artefacts('sequence')).toEqual(['result', 'history', 'csv', 'metadata']);
    expect(client.artefacts('alignment')).toEqual([
      'result',
      'history',
      'csv',
      'metadata',
      'distributions',
    ]);
    expect(client.artefacts('shifts')).toEqual(['result', 'history', 'csv', 'metadata']);
    await client.close();
  });
});
