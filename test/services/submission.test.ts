/** The closed union of docs/promises.md, "Submit is at most once": the same for both services. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { SubmitOutcome } from '../../src/domain/outcomes.ts';
import { clientAt, clientOfAnswer, JOBS, quiet, TOKEN } from './jobs.ts';
import {
  deadUrl,
  httpServer,
  json,
  netServer,
  rawServer,
  type SeenRequest,
} from './scripted-server.ts';

const ACKNOWLEDGEMENT = { request_id: 'r-1', hash_id: 'r-1', status: 'enqueued', message: 'ok' };
const PAGE = '<!doctype html><title>Back at noon</title>';
const WORDS = 'Sequences must have  equal lengths: "a" (5), "b" (4)';
const TAKEN = 'job_name already exists for this token';

const containing = (text: string) => expect.stringContaining(text) as string;
const id = (value: unknown) => ({ request_id: value, hash_id: value });
const refused = (message: string) => (status: number) => ({ type: 'refused', status, message });
const notNow = (reason: string, retryAfterMs: number | null = null) => ({
  type: 'notNow',
  reason,
  retryAfterMs,
});
const accepted = { type: 'accepted', remoteId: 'r-1' };
const unsure = { type: 'unsure' };
const unreachable = notNow('unreachable');
const blocked = notNow('blocked');
const AS_PAGE = { 'content-type': 'text/html' };

type Answer = [
  what: string,
  statuses: readonly number[],
  /** Each with each status. */
  bodies: readonly unknown[],
  outcome: object | ((status: number) => object),
  headers?: Readonly<Record<string, string>>,
];

const ROW = [400, 409, 413, 415, 422];
const CLIENT = [401, 402, 403, 404, 405, 407, 410, 426, 451, 511];
const HOSTILE_IDS = ['../../admin', '..', 'a/b', 'a b', ''].map(id);
const LIST = { detail: [{ loc: ['body'], msg: 'missing' }] };
const LONG = { error: 'é'.repeat(5_000) };
const OF_PROXY = { ...blocked, message: containing('"Back at noon"') };
const ELSEWHERE = expect.stringMatching(/https:\/\/elsewhere\.invalid\/x[,:]/) as string;
const LATER = 'Sat, 21 Nov 2020 10:01:30 GMT';
const DATED = { date: 'Sat, 21 Nov 2020 10:00:00 GMT', 'retry-after': LATER };
const slow = (retryAfterMs: number | null) => notNow('rate-limited', retryAfterMs);
const expired = (status: number) => ({
  ...blocked,
  message: containing(`HTTP ${status}: token expired`),
});

const ANSWERS: readonly Answer[] = [
  ['an id: accepted', [200, 201, 202], [ACKNOWLEDGEMENT], accepted],
  ['an id that is a number: accepted', [200], [id(17)], { ...accepted, remoteId: '17' }],
  ['an id as a web page: accepted', [200], [ACKNOWLEDGEMENT], accepted, AS_PAGE],
  ['an id that would leave its path: unsure', [200], HOSTILE_IDS, unsure],
  ['no id: unsure', [200], ['thank you', '{"status":"enqueued"}', ''], unsure],
  ['a web page of a proxy: the service has no such job', [200], [PAGE], OF_PROXY],
  ['a refusal of the client: not of the row', CLIENT, [{ error: 'token expired' }], expired],
  [
    'a redirect: reported and not followed',
    [301, 302, 303, 307, 308],
    [''],
    { ...blocked, message: ELSEWHERE },
    { location: 'https://elsewhere.invalid/x?token=1' },
  ],
  ['a web page or nothing, which comes from a proxy: blocked', ROW, [PAGE, ''], blocked],
  ['a fault of the row: refused, with the exact message', ROW, [{ error: WORDS }], refused(WORDS)],
  ['a list of faults: refused', [400], [LIST], refused(JSON.stringify(LIST.detail))],
  ['a long message: cut', [400], [LONG], refused(`${'é'.repeat(1_999)}…`)],
  [
    'seconds: blocked for that long',
    [429],
    [{ error: 'x' }],
    slow(17_000),
    { 'retry-after': '17' },
  ],
  ['a date: measured by the clock of the service', [429], [{}], slow(90_000), DATED],
  ['reset_after: blocked for that long', [429], [{ reset_after: '12' }], slow(12_000)],
  ['no time to wait: none is set', [429], [''], slow(null)],
  ['nothing: sent again later', [408, 425, 503], [''], notNow('unavailable')],
  ['a time: sent again then', [503], [''], notNow('unavailable', 3_000), { 'retry-after': '3' }],
  ['a failure of the server: unsure', [500, 501, 502, 504, 520], [{ error: 'oh' }], unsure],
];

const SERVICES = [
  { name: 'predictions', job: JOBS.sequence, target: {} },
  { name: 'predictions, earlier', job: JOBS.sequence, target: { config: { variant: 'earlier' } } },
  { name: 'molecules', job: JOBS.molecule, target: { service: 'molecules' } },
] as const;

test.each([400, 403, 404, 409])(
  'a name in use, where names are unique (HTTP %i)',
  async (status) => {
    const { client } = await clientOfAnswer({ status, body: { error: TAKEN } });
    const outcome = { type: 'refused', status, message: TAKEN, taken: true };
    expect(await client.submit(JOBS.sequence, quiet())).toEqual(outcome);
  },
);

describe.each(SERVICES)('submitting to $name', ({ job, target }) => {
  const submitTo = (url: string, signal = quiet().signal, deadlineMs = 2_000) =>
    clientAt(url, { ...target, deadlineMs }).submit(job, { signal });

  async function answered(
    answer: (response: ServerResponse, request: SeenRequest) => void,
  ): Promise<SubmitOutcome> {
    await using server = await httpServer((request, response) => answer(response, request));
    const outcome = await submitTo(server.url);
    const sent = server.requests.filter(({ method }) => method === 'POST');
    expect(sent, 'a submission is sent exactly once').toHaveLength(1);
    return outcome;
  }

  async function broken(text: string, after: (socket: Socket) => void): Promise<SubmitOutcome> {
    await using server = await rawServer(text, after);
    const outcome = await submitTo(server.url);
    expect(server.connections(), 'a submission is sent exactly once').toBe(1);
    expect(JSON.stringify(outcome)).not.toContain(TOKEN);
    return outcome;
  }

  test.each(ANSWERS)('%s (HTTP %j)', async (_, statuses, bodies, expected, headers) => {
    for (const status of statuses)
      for (const body of bodies) {
        const outcome = await answered((response) => json(response, status, body, headers));
        expect(outcome).toMatchObject(typeof expected === 'function' ? expected(status) : expected);
      }
  });

  test('2xx with a web page while the service works otherwise may stand for a job', async () => {
    const outcome = await answered((response, { method }) => {
      if (method === 'POST') json(response, 200, PAGE);
      else json(response, 404, { error: 'unknown job' });
    });
    expect(outcome).toMatchObject({ type: 'notNow', reason: 'blocked', isUncertain: true });
  });

  test('a token that the service repeats is overwritten in the outcome', async () => {
    const outcome = await answered((response, request) =>
      json(response, 400, { error: `bad: ${request.body}` }),
    );
    expect(outcome).toHaveProperty('message', containing('*'.repeat(TOKEN.length)));
    expect(JSON.stringify(outcome)).not.toContain(TOKEN);
  });

  test.each([
    ['reset after the request was read: unsure', '', unsure],
    [
      'an acceptance that is cut off before its id: unsure',
      'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"request_id":',
      unsure,
    ],
    [
      'a refusal with a truncated body does not refuse the row, which is sent again',
      'HTTP/1.1 400 Bad Request\r\nContent-Length: 99\r\n\r\n{"error":',
      notNow('blocked'),
    ],
  ])('%s', async (_, text, outcome) => {
    expect(await broken(text, (socket) => socket.resetAndDestroy())).toMatchObject(outcome);
  });

  test('closed after the request was read: unsure', async () => {
    expect(await broken('', (socket) => socket.end())).toMatchObject(unsure);
  });

  test('nothing listens, or the host is unknown: unreachable', async () => {
    for (const url of [await deadUrl(), 'http://nobody.invalid']) {
      const outcome = await submitTo(url);
      expect(outcome).toMatchObject(unreachable);
      expect(JSON.stringify(outcome)).not.toContain(TOKEN);
    }
  });

  test('aborted before it was written: unreachable, not unsure', async () => {
    await using server = await httpServer((_, response) => json(response, 200, ACKNOWLEDGEMENT));
    expect(await submitTo(server.url, AbortSignal.abort())).toMatchObject(unreachable);
    expect(server.requests).toEqual([]);
  });

  test('not answered before the deadline, or aborted after it was written: unsure', async () => {
    await using server = await netServer(() => undefined);
    expect(await submitTo(server.url, quiet().signal, 300)).toMatchObject(unsure);
    expect(await submitTo(server.url, AbortSignal.timeout(200))).toMatchObject(unsure);
  });
});
