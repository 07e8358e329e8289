/** Downloads that never end, are larger than any memory, or take days: each is ended with a code. */
import { readdir, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import { fetchArtefact } from '../../src/activities/download.ts';
import { JobStage, type Finishing } from '../../src/activities/item-job.ts';
import { settleSubmission } from '../../src/activities/reconcile-submission.ts';
import type { ArtefactName } from '../../src/domain/outcomes.ts';
import type { FetchResult, RemoteJob } from '../../src/workflows/activity-types.ts';
import { JOBS, type OurKind } from '../services/jobs.ts';
import { deadUrl, httpServer, json, type ScriptedServer } from '../services/scripted-server.ts';
import { aJob, starterInto, submissionOf, workerFor } from './a-job.ts';

const MB = 1_000_000;
const DAY = 86_400_000;
const POLICY = { deadlineMs: DAY, whenUnsure: 'hold', retryMs: 60_000 } as const;

/** In the running activity. */
const finishing = (job: RemoteJob): Finishing => ({
  job,
  policy: POLICY,
  submitted: { attempts: [], submittedAt: null },
  former: null,
  stage: new JobStage(Context.current()),
});

/** One download of an item: real HTTP and a real folder, and the clock of a mock environment. */
async function downloading(kind: OurKind, target: Parameters<typeof workerFor>[1]) {
  const job = await aJob(kind);
  const worker = workerFor(kind, target);
  return {
    /** @param badForMs for how long the result has been bad, at each attempt */
    fetch: (artefact: ArtefactName, badForMs?: number): Promise<FetchResult> => {
      const environment = new MockActivityEnvironment({
        scheduledTimestampMs: Date.now(),
        ...(badForMs !== undefined && {
          heartbeatDetails: { bad: { [artefact]: { badSince: Date.now() - badForMs, times: 9 } } },
        }),
      });
      return environment.run(() => fetchArtefact(worker, finishing(job), artefact));
    },
    remove: () => rm(join(job.item.store, 'sequences/one'), { recursive: true }),
    /** All files below the folder, temporary ones as well. */
    files: async () => {
      const entries = await readdir(job.item.store, { recursive: true, withFileTypes: true });
      const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
      return names.filter((name) => name !== 'item.json' && name !== JOBS[kind].input.name);
    },
  };
}

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
  test.each([
    [
      'is announced as too large',
      { 'content-length': '3000000000' },
      /3000000000 bytes.*64000000 are allowed/,
    ],
    ['never ends', {}, /bytes came so far, and 64000000 are allowed/],
  ])('that %s fails the item at once, and leaves nothing behind', async (_, headers, words) => {
    await using server = await serving((response) => endless(response, headers));
    const item = await downloading('sequence', { url: server.url });
    const { files, problem } = await item.fetch(artefact);
    expect({ files, code: problem?.code }).toEqual({ files: [], code: 'RESULT_TOO_LARGE' });
    expect(problem?.message).toMatch(words);
    expect(server.requests.length).toBe(1);
    expect(await item.files()).toEqual([]);
  });

  test('that arrives byte by byte is aborted, and fails the item after the time limit', async () => {
    await using server = await serving((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    });
    const item = await downloading('sequence', { url: server.url, deadlineMs: 60 });
    await expect(item.fetch(artefact)).rejects.toMatchObject({ type: 'Hindered' });
    const { problem } = await item.fetch(artefact, 120_000);
    expect(problem).toMatchObject({ code: 'RESULT_TRUNCATED' });
    expect(problem?.message).toContain('DEADLINE');
    expect(await item.files()).toEqual([]);
  });
});

test.each([
  ['nested 2 million levels deep', '['.repeat(2 * MB) + ']'.repeat(2 * MB)],
  ['nested in a record', `{"results":${'{"a":'.repeat(500_000)}1${'}'.repeat(500_000)}}`],
  ['of 3 million empty lists', `[${'[],'.repeat(3 * MB)}0]`],
  ['of 3 million keys', `{${Array.from({ length: 3 * MB }, (_, n) => `"${n}":0`).join(',')}}`],
])('a result %s fails the item', async (_, bomb) => {
  await using server = await serving((response) => json(response, 200, bomb));
  for (const kind of ['sequence', 'molecule'] as const) {
    const item = await downloading(kind, { url: server.url });
    const { problem } = await item.fetch(kind === 'molecule' ? 'record' : 'result');
    expect(problem).toMatchObject({ code: 'RESULT_TOO_COMPLEX' });
  }
});

test('a result whose item was removed meanwhile is asked for again', async () => {
  await using server = await serving((response) => json(response, 200, '{}'));
  const item = await downloading('sequence', { url: server.url });
  await item.remove();
  await expect(item.fetch('result')).rejects.toMatchObject({ type: 'Hindered' });
});

test.each<[ArtefactName, number, string, ended: object | null]>([
  ['result', 200, '{"proteins":{"a":{"seq":["M"', null],
  ['result', 404, '{"error":"no such job"}', null],
  ['result', 422, '{"error":"it failed"}', { code: 'RESULT_ABSENT' }],
  ['csv', 422, '{"error":"it failed"}', {}],
])('a %s with %i and %s is asked for again, or ends: %o', async (artefact, status, body, ended) => {
  await using server = await serving((response) => json(response, status, body));
  const fetched = (await downloading('sequence', { url: server.url })).fetch(artefact);
  if (ended === null) await expect(fetched).rejects.toMatchObject({ type: 'Hindered' });
  else expect((await fetched).problem ?? {}).toMatchObject(ended);
});

describe('a service that stays unavailable', () => {
  async function asked(daysAgo: number, what: 'download' | 'look'): Promise<unknown> {
    const job = await aJob('sequence');
    const worker = workerFor('sequence', { url: await deadUrl() });
    const begun: unknown[] = [];
    const asking = { ...worker, starter: starterInto(begun) };
    const environment = new MockActivityEnvironment({
      scheduledTimestampMs: Date.now() - daysAgo * DAY,
      attempt: 9,
      currentAttemptScheduledTimestampMs: Date.now(),
    });
    const { item, reference } = job;
    return environment.run<[], unknown, () => Promise<unknown>>(() =>
      what === 'look'
        ? settleSubmission(
            asking,
            submissionOf({ ...item, launch: { policy: POLICY } }),
            reference,
            {
              type: 'unsure',
              message: 'no answer',
              byService: true,
            },
          ).then(() => begun[0])
        : fetchArtefact(worker, finishing(job), 'result'),
    );
  }

  test('is asked for a download until it would have deleted the result', async () => {
    await expect(asked(12, 'download')).rejects.toMatchObject({ type: 'Hindered' });
    const problem = { code: 'RESULT_UNREACHABLE' };
    expect(await asked(13.5, 'download')).toMatchObject({ files: [], problem });
  });

  test('is asked for past results for a day', async () => {
    await expect(asked(0.5, 'look')).rejects.toMatchObject({ type: 'Hindered' });
    const end = { state: 'held', code: 'SUBMIT_UNSURE' };
    expect(await asked(1.1, 'look')).toMatchObject({ type: 'end', end });
  });
});
