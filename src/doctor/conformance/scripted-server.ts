/** Answers of every kind, and a server that gives them. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Case {
  readonly words: string;
  readonly script: Script | 'nobody';
  /** `nothing`: of no job, and of no state of one. */
  readonly tells?: 'nothing' | 'names';
}

type Script =
  | 'reset'
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

export const NOTHING: readonly Case[] = nothing(
  { words: '200, empty', script: { status: 200, body: '' } },
  { words: '200, {}', script: { status: 200, body: '{}' } },
  { words: '200, []', script: { status: 200, body: '[]' } },
  { words: '200, an unknown word', script: { status: 200, body: UNKNOWN_WORD } },
  { words: '200, the text HELD', script: { status: 200, body: 'HELD', type: 'text/plain' } },
  { words: '200, a web page', script: { status: 200, body: PAGE, type: 'text/html' } },
  { words: '200, cut off', script: { status: 200, body: '{"sta', isCut: true } },
);

function nothing(...cases: readonly Case[]): readonly Case[] {
  return cases.map((one) => ({ ...one, tells: 'nothing' }));
}

export const OTHERS: readonly Case[] = [
  { words: '202, {}', script: { status: 202, body: '{}' } },
  { words: '204', script: { status: 204 } },
  { words: '303 elsewhere', script: { status: 303, headers: { location: '/elsewhere/' } } },
  ...[400, 401, 403, 404, 409, 422, 429].map(refusal),
  { ...refusal(429), words: '429, Retry-After 20', script: asked(429) },
  refusal(500),
  { words: '502, a web page', script: { status: 502, body: PAGE, type: 'text/html' } },
  refusal(503),
  { ...refusal(503), words: '503, Retry-After 20', script: asked(503) },
  refusal(504),
  { words: 'nobody listens', script: 'nobody' },
  { words: 'reset after the request', script: 'reset' },
  { words: 'no answer in time', script: 'silent' },
];

export const TAKEN: Case = {
  words: '400, name taken',
  script: { status: 400, body: '{"error":"A job with this job name already exists"}' },
};
const NAMELESS = JSON.stringify(
  ['a1b2c3d4', 'e5f6a7b8'].map((id) => ({
    id,
    request_id: id,
    job_id: id,
    jobId: id,
    status: 'FINISHED',
    created_at: '2026-01-01T00:00:00Z',
  })),
);
export const LISTS: readonly Case[] = [
  { words: '200, jobs without names', script: { status: 200, body: NAMELESS }, tells: 'names' },
  {
    words: '200, the same under "jobs"',
    script: { status: 200, body: `{"jobs":${NAMELESS}}` },
    tells: 'names',
  },
];

function refusal(status: number): Case {
  return { words: String(status), script: { status, body: `{"error":"refused (${status})"}` } };
}

function asked(status: number): Script {
  return { status, body: '{"error":"later"}', headers: { 'retry-after': '20' } };
}

/** A server that gives each request the answer of the present case. */
export class ScriptedServer {
  script: Script = 'reset';
  /** Without queries. */
  readonly paths: string[] = [];
  readonly #server = createServer((request, response) => {
    this.paths.push(new URL(request.url ?? '/', 'http://x').pathname);
    request.resume().on('end', () => this.#answer(response));
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(response: ServerResponse): void {
    if (this.script === 'silent') return;
    if (this.script === 'reset') {
      response.destroy();
      return;
    }
    const { status, body = '', type = 'application/json', headers = {}, isCut } = this.script;
    const length = Buffer.byteLength(body) + (isCut ? 1_000 : 0);
    response.writeHead(status, {
      ...(status !== 204 && { 'content-type': type, 'content-length': length }),
      ...headers,
    });
    if (isCut) response.write(body, () => response.destroy());
    else response.end(status === 204 ? undefined : body);
  }
}
