/** Answers of every kind, and a server that gives them. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Case {
  readonly words: string;
  readonly script: Script;
  /** `nothing`: of no job, and of no state of one. `error`: of no success. `jobs`, without names. `taken`: the name. */
  readonly tells?: 'nothing' | 'error' | 'jobs' | 'taken';
}

type Script =
  /** The connection breaks before a byte of the request is written, or when all of it is. */
  | 'reset before'
  | 'reset after'
  | 'silent'
  | {
      readonly status: number;
      readonly body?: string;
      readonly type?: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** More bytes were announced than come. */
      readonly isCut?: true;
    };

const PAGE = '<!doctype html><html><head><title>Maintenance</title></head><body>Soon</body></html>';
const KEYS = ['status', 'state', 'jobStatus', 'job_status', 'status_code', 'phase'];
const UNKNOWN_WORD = JSON.stringify(Object.fromEntries(KEYS.map((key) => [key, 'HELD'])));
const NO_NAMES = JSON.stringify(
  ['a1b2c3d4', 'e5f6a7b8'].map((id) => ({
    id,
    request_id: id,
    job_id: id,
    jobId: id,
    state: 'DONE',
  })),
);
const IN_USE = '{"error":"A job with this job name already exists"}';
const ERROR = '{"error":"Something went wrong"}';

/** With the status at which the definition reads answers; mostly 200. */
function answer(words: string, body: string, tells: NonNullable<Case['tells']>, more = {}): Case {
  return { words, script: { status: 200, body, ...more }, tells };
}

export const NOTHING: readonly Case[] = [
  answer('2xx, empty', '', 'nothing'),
  answer('2xx, {}', '{}', 'nothing'),
  answer('2xx, []', '[]', 'nothing'),
  answer('2xx, an unknown word', UNKNOWN_WORD, 'nothing'),
  answer('2xx, the text HELD', 'HELD', 'nothing', { type: 'text/plain' }),
  answer('2xx, {"error": …}', ERROR, 'error'),
  answer('2xx, a web page', PAGE, 'nothing', { type: 'text/html' }),
  answer('2xx, cut off', '{"sta', 'nothing', { isCut: true }),
];

export const LISTS: readonly Case[] = [
  answer('2xx, nameless jobs', NO_NAMES, 'jobs'),
  answer('2xx, {"jobs": them}', `{"jobs":${NO_NAMES}}`, 'jobs'),
];

export const TAKEN: readonly Case[] = [400, 409].map((status) =>
  answer(`${status}, name in use`, IN_USE, 'taken', { status }),
);

export const OTHERS: readonly Case[] = [
  { words: '202, {}', script: { status: 202, body: '{}' } },
  { words: '204', script: { status: 204 } },
  { words: '303 elsewhere', script: { status: 303, headers: { location: '/elsewhere/' } } },
  ...[400, 401, 403, 404, 409, 422, 429].map((status) => refusal(status)),
  refusal(429, '20'),
  refusal(500),
  { words: '502, a web page', script: { status: 502, body: PAGE, type: 'text/html' } },
  refusal(503),
  refusal(503, '20'),
  refusal(504),
  { words: 'reset before request', script: 'reset before' },
  { words: 'reset after request', script: 'reset after' },
  { words: 'no answer in time', script: 'silent' },
];

function refusal(status: number, after?: string): Case {
  const script = { status, body: `{"error":"refused (${status})"}` };
  if (after === undefined) return { words: String(status), script };
  const headers = { 'retry-after': after };
  return { words: `${status}, Retry-After ${after}`, script: { ...script, headers } };
}

/** A server that gives each request the answer of the present case. */
export class ScriptedServer {
  script: Script = 'silent';
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
    response.writeHead(status === 200 ? this.success : status, {
      ...(status !== 204 && described),
      ...headers,
    });
    if (isCut) response.write(body, () => response.destroy());
    else response.end(body);
  }
}
