/** Answers that never end, or are larger than any memory: each is ended with a code. */
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { httpServer, json, type ScriptedServer } from '../services/scripted-server.ts';
import { acpypeRecording, finishedRecord } from '../services/recordings.ts';
import { downloading } from './a-download.ts';

const MB = 1_000_000;

/** Sends bytes as long as the client reads them. */
function endless(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  const piece = Buffer.alloc(64 * 1024, ' ');
  const send = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', send);
  send();
}

const serving = async (answer: (response: ServerResponse) => void): Promise<ScriptedServer> =>
  httpServer((_, response) => answer(response));

describe.each(['result', 'csv'] as const)('a %s', (artefact) => {
  test('that is announced as too large fails the item at once, without being read', async () => {
    await using server = await serving((response) =>
      endless(response, { 'content-length': '3000000000' }),
    );
    const item = await downloading({ kind: 'sequence', url: server.url, maxDownload: MB });
    const { files, problem } = await item.fetch(artefact);
    expect({ files, code: problem?.code }).toEqual({ files: [], code: 'RESULT_TOO_LARGE' });
    expect(problem?.message).toMatch(
      /3000000000 bytes.*1000000.*services\.predictions\.maxDownload/,
    );
    expect(server.requests.length).toBe(1);
    expect(await item.files()).toEqual([]);
  });

  test('that never ends fails the item once it is too large, and leaves nothing behind', async () => {
    await using server = await serving(endless);
    const item = await downloading({ kind: 'sequence', url: server.url, maxDownload: MB });
    expect((await item.fetch(artefact)).problem).toMatchObject({
      code: 'RESULT_TOO_LARGE',
      message: expect.stringMatching(/bytes came so far, and 1000000 are allowed/) as string,
    });
    expect(server.requests.length).toBe(1);
    expect(await item.files()).toEqual([]);
  });

  test('that arrives byte by byte is aborted, and fails the item after the time limit', async () => {
    await using server = await serving((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    });
    const item = await downloading({ kind: 'sequence', url: server.url, deadlineMs: 60 });
    await expect(item.fetch(artefact)).rejects.toMatchObject({ type: 'NotYet' });
    const { problem } = await item.fetch(artefact, 120_000);
    expect(problem).toMatchObject({ code: 'RESULT_TRUNCATED' });
    expect(problem?.message).toContain('DEADLINE');
    expect(await item.files()).toEqual([]);
  });
});

describe('a result that is hard to read', () => {
  const bombs = {
    'nested 2 million levels deep': '['.repeat(2 * MB) + ']'.repeat(2 * MB),
    'nested in a record': `{"results":${'{"a":'.repeat(500_000)}1${'}'.repeat(500_000)}}`,
    'of 3 million empty lists': `[${'[],'.repeat(3 * MB)}0]`,
    'of 3 million keys': `{${Array.from({ length: 3 * MB }, (_, n) => `"${n}":0`).join(',')}}`,
  };
  test.each(Object.entries(bombs))('%s fails the item', async (_, bomb) => {
    await using server = await serving((response) => json(response, 200, bomb));
    for (const kind of ['sequence', 'molecule'] as const) {
      const item = await downloading({ kind, url: server.url });
      const { problem } = await item.fetch(kind === 'molecule' ? 'record' : 'result');
      expect(problem).toMatchObject({ code: 'RESULT_TOO_COMPLEX' });
    }
  });

  test('of an unclosed string with a million quotes is rejected in less than 10 s', async () => {
    await using server = await serving((response) =>
      json(response, 200, `{"a":"${'\\"'.repeat(MB)}`),
    );
    const item = await downloading({ kind: 'sequence', url: server.url });
    const begun = performance.now();
    await expect(item.fetch('result')).rejects.toMatchObject({ type: 'NotYet' });
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  test('in the processing log loses the timing and does not fail the item', async () => {
    await using server = await serving((response) =>
      json(response, 200, '['.repeat(2 * MB) + ']'.repeat(2 * MB)),
    );
    const item = await downloading({ kind: 'sequence', url: server.url });
    expect(await item.fetch('history')).toMatchObject({ problem: null, timing: null });
  });
});

test('large results that are downloaded at the same time are all saved', async () => {
  const record = finishedRecord(acpypeRecording('file-caffeine-gas-auto-gaff2'));
  await using server = await serving((response) =>
    json(response, 200, { ...record, log: 'x'.repeat(6 * MB) }),
  );
  const items = await Promise.all(
    Array.from({ length: 4 }, () => downloading({ kind: 'molecule', url: server.url })),
  );
  const results = await Promise.all(items.map((item) => item.fetch('record')));
  for (const { files } of results) {
    expect(files.find(({ name }) => name.endsWith('record.json'))?.bytes).toBeGreaterThan(6 * MB);
  }
});
