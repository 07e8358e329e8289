/** Answers of every kind, and a server that gives them. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Case {
  readonly words: string;
  /** Or none: the connection breaks before a byte of the request is written, or when all of it is. */
  readonly script: Script | 'reset before' | 'reset after' | 'silent';
  /** `nothing`: of no job, and of no state of one. `error`: of no success. `jobs`, without names. `taken`: the name. */
  readonly tells?: 'nothing' | 'error' | 'jobs' | 'taken';
}

interface Script {
  readonly status: number;
  readonly body?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** More bytes were announced than come. */
  readonly isCut?: true;
}

const PAGE = '<!doctype html><html><head><title>Maintenance</title></head><body>Soon</body></html>';
const UNKNOWN_WORD =
  '{"status":"HELD","state":"HELD","jobStatus":"HELD","job_status":"HELD","phase":"HELD"}';
const NAMELESS =
  '[{"id":"a1b2c3d4","request_id":"a1b2c3d4","job_id":"a1b2c3d4","jobId":"a1b2c3d4","state":"DONE"}]';

/** With the status at which the definition reads answers; mostly 200. */
function createAnswer(
  words: string,
  body: string,
  tells: NonNullable<Case['tells']>,
  more = {},
): Case {
  return { words: `2xx, ${words}`, script: { status: 200, body, ...more }, tells };
}

export const NOTHING: readonly Case[] = [
  createAnswer('empty', '', 'nothing'),
  createAnswer('{}', '{}', 'nothing'),
  createAnswer('[]', '[]', 'nothing'),
  createAnswer('an unknown word', UNKNOWN_WORD, 'nothing'),
  createAnswer('the text HELD', 'HELD', 'nothing', { type: 'text/plain' }),
  createAnswer('{"error": …}', '{"error":"Something went wrong"}', 'error'),
  createAnswer('a web page', PAGE, 'nothing', { type: 'text/html' }),
  createAnswer('cut off', '{"sta', 'nothing', { isCut: true }),
];

export const LISTS: readonly Case[] = [
  createAnswer('nameless jobs', NAMELESS, 'jobs'),
  createAnswer('{"jobs": them}', `{"jobs":${NAMELESS}}`, 'jobs'),
];

export const TAKEN: readonly Case[] = [400, 409].map((status) => ({
  words: `${status}, name in use`,
  script: { status, body: '{"error":"A job with this job name already exists"}' },
  tells: 'taken',
}));

export const OTHERS: readonly Case[] = [
  { words: '202, {}', script: { status: 202, body: '{}' } },
  { words: '204', script: { status: 204 } },
  { words: '303 elsewhere', script: { status: 303, headers: { location: '/elsewhere/' } } },
  ...[400, 401, 403, 404, 409, 422, 429].map((status) => createRefusal(status)),
  createRefusal(429, '20'),
  createRefusal(500),
  { words: '502, a web page', script: { status: 502, body: PAGE, type: 'text/html' } },
  createRefusal(503),
  createRefusal(503, '20'),
  createRefusal(504),
  { words: 'reset before request', script: 'reset before' },
  { words: 'reset after request', script: 'reset after' },
  { words: 'no answer in time', script: 'silent' },
];

function createRefusal(status: number, after?: string): Case {
  const script = { status, body: `{"error":"refused (${status})"}` };
  if (after === undefined) return { words: String(status), script };
  const headers = { 'retry-after': after };
  return { words: `${status}, Retry-After ${after}`, script: { ...script, headers } };
}

/** A server that gives each request the answer of the present case. */
export class ScriptedServer {
  script: Case['script'] = 'silent';
  /** In place of 200. */
  success = 200;
  /** Called when a request has arrived that gets no answer. */
  whenSilent: () => void = () => undefined;
  /** Without queries. */
  readonly paths: string[] = [];
  readonly #server = createServer((request, response) => {
    this.paths.push(new URL(request.url ?? '/', 'http://x').pathname);
    request.resume().on('end', () => this.#answer(response));
    // The greeting of TLS: its connection breaks before there is a request.
  }).on('clientError', (_, socket) => socket.destroy());

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(response: ServerResponse): void {
    if (this.script === 'silent') return this.whenSilent();
    if (typeof this.script === 'string') return void response.destroy();
    const { status, body = '', type = 'application/json', headers = {}, isCut } = this.script;
    const length = Buffer.byteLength(body) + (isCut ? 1_000 : 0);
    const described = { 'content-type': type, 'content-length': length };
    const own = status === 200 ? this.success : status;
    response.writeHead(own, { ...(status !== 204 && described), ...headers });
    if (isCut) response.write(body, () => response.destroy());
    else response.end(body);
  }
}
