import { describe, expect, test } from 'vitest';
import type { PollOutcome } from '../../../src/domain/outcomes.ts';
import { createClient } from '../../../src/services/registry.ts';
import { meaningfulLines } from '../../../src/services/molecules.ts';
import { quiet, TOKEN } from '../jobs.ts';
import { acpypeRecording, finishedRecord } from '../recordings.ts';
import { deadUrl, httpServer, json, rawServer } from '../scripted-server.ts';

async function pollAt(url: string): Promise<PollOutcome> {
  const client = createClient({ service: 'molecules', url, token: TOKEN, deadlineMs: 2_000 });
  try {
    return await client.poll('h1', quiet());
  } finally {
    await client.close();
  }
}

async function polled(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<PollOutcome> {
  await using server = await httpServer((_, response) => json(response, status, body, headers));
  return await pollAt(server.url);
}

const ETHANOL = acpypeRecording('smi-ethanol-bcc-auto-gaff2');

describe('an unreadable record', () => {
  test.each([
    ['longer than any', { log: 'x'.repeat(9_000_000) }],
    ['nested without end', `{"results":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
  ])('counts as finished, and is checked after the download: %s', async (_, body) => {
    expect(await polled(200, body)).toEqual({ type: 'finished' });
  });
});

describe('running', () => {
  test('202 (contract 2.3), requested from the queue without a token', async () => {
    await using server = await httpServer((_, response) => {
      const record = {
        id: 7,
        request_text: '3 processes are pending',
        location: 'not_available',
        status: 202,
        hash_id: 'h1',
        public: false,
      };
      json(response, 202, record, { 'retry-after': '3' });
    });
    expect(await pollAt(server.url)).toEqual({
      type: 'running',
      retryAfterMs: 3_000,
      progress: null,
      statusMessage: '3 processes are pending',
      timing: null,
    });
    expect(server.requests[0]).toMatchObject({ method: 'GET', path: '/api/queue/h1/' });
    expect(JSON.stringify(server.requests)).not.toContain(TOKEN);
  });

  test('202 without a readable body', async () => {
    expect((await polled(202, '')).type).toBe('running');
  });

  test.each([
    [{ status: 202, request_text: 'x' }],
    [{ status: '202' }],
    [{ result_request: { status: 202, request_text: 'x' }, results: [] }],
  ])('200 with status 202 inside: %j', async (body) => {
    expect((await polled(200, body)).type).toBe('running');
  });
});

describe('finished means all 19 files', () => {
  test('a record with one whole set', async () => {
    expect(await polled(200, finishedRecord(ETHANOL))).toEqual({ type: 'finished' });
  });

  test('a set in place of the array', async () => {
    const record = { ...finishedRecord(ETHANOL), results: ETHANOL.results };
    expect(await polled(200, record)).toEqual({ type: 'finished' });
  });

  test.each(['em_mdp', 'GMX_top'] as const)(
    'without %s, or with an empty one, the job failed',
    async (key) => {
      for (const results of [
        { ...ETHANOL.results, [key]: '' },
        { ...ETHANOL.results, [key]: null },
        Object.fromEntries(Object.entries(ETHANOL.results).filter(([name]) => name !== key)),
      ]) {
        const outcome = await polled(200, { ...finishedRecord(ETHANOL), results: [results] });
        expect(outcome).toMatchObject({
          type: 'failed',
          message: expect.stringContaining(`Missing or empty: ${key}.`),
        });
      }
    },
  );

  test.each([[[]], [{}], [[{}]], [null], [undefined]])(
    '200 with the results %j: failed',
    async (results) => {
      const record = {
        ...finishedRecord(ETHANOL),
        results,
        log: 'ACPYPE FAILED: the reason\nTotal time of execution: 1s\n',
      };
      expect(await polled(200, record)).toEqual({
        type: 'failed',
        message: 'ACPYPE FAILED: the reason',
        timing: null,
      });
    },
  );
});

describe('the reason of a failure is taken from the log', () => {
  test.each([
    ['smi-wrong_charge-bcc-1-gaff2', 'The number of electrons is odd (25)'],
    ['smi-bad_smiles-bcc-auto-gaff2', "No such file or directory: './C1CC('"],
    ['file-edge_with_waters-bcc-auto-gaff2', 'Only ONE Residue is allowed'],
    ['file-edge_multi_model-bcc-auto-gaff2', 'Atoms TOO close'],
    ['file-edge_boron-bcc-auto-gaff2', 'Bonds involving this atom are frozen'],
    ['smi-iron-bcc-auto-gaff2', 'Too few atoms'],
  ])('%s: %s', (name, words) => {
    const lines = meaningfulLines(acpypeRecording(name).log) ?? '';
    expect(lines).toContain(words);
    expect(lines).not.toMatch(/^=+$|Total time|quote\+|Removing temporary/m);
  });

  test('a log without an error has no reason', () => {
    expect(meaningfulLines('======\nTotal time of execution: 1s\n')).toBeNull();
  });

  test('a token in the log does not get into the outcome', async () => {
    const record = { ...finishedRecord(ETHANOL), results: {}, log: `ACPYPE FAILED: user ${TOKEN}` };
    expect(JSON.stringify(await polled(200, record))).not.toContain(TOKEN);
  });
});

describe('everything else', () => {
  test('404 is lost', async () => {
    expect(await polled(404, { error: 'unknown hash_id' })).toEqual({
      type: 'lost',
      message: 'unknown hash_id',
    });
  });

  test('422 is failed, with the message of the service', async () => {
    expect(await polled(422, { error: 'more than 200 atoms' })).toMatchObject({
      type: 'failed',
      message: 'more than 200 atoms',
    });
  });

  test.each([400, 401, 429, 500, 502, 503, 302])(
    'HTTP %i is no information about the job',
    async (status) => {
      const outcome = await polled(status, { error: 'x' }, { 'retry-after': '6' });
      expect(outcome).toMatchObject({ type: 'unavailable', retryAfterMs: 6_000 });
    },
  );

  test('a record that is cut short, no JSON, or a web page is no information about the job', async () => {
    const text = 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"results":{}';
    await using server = await rawServer(text, (socket) => socket.end());
    expect((await pollAt(server.url)).type).toBe('unavailable');
    expect((await polled(200, '{"results":')).type).toBe('unavailable');
    expect((await polled(200, '<html>', { 'content-type': 'text/html' })).type).toBe('unavailable');
  });

  test('no connection is no information about the job', async () => {
    expect((await pollAt(await deadUrl())).type).toBe('unavailable');
  });
});

describe('find', () => {
  test('this service cannot find jobs by name', async () => {
    const client = createClient({ service: 'molecules', url: await deadUrl(), token: TOKEN });
    expect(await client.find('molecule', 'x', quiet())).toEqual({ type: 'unsupported' });
    await client.close();
  });
});
