/**
 * The third service of a round: an example plugin with its fake server, behind faults of the same names as those of the
 * local services. It lives in this process, so that its jobs and its journal survive an outage.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Faults, type Endpoint, type FaultRule } from '../../packages/local-services/src/faults.ts';
import type { JournalEntry } from '../../packages/local-services/src/journal.ts';
import type { FakeServer } from '../../examples/services/server.ts';
import { fakeTranslate } from '../../examples/services/translate-server.ts';
import { fakeUniProt } from '../../examples/services/uniprot-server.ts';
import type { Plan } from './plan.ts';
import type { ServiceJob } from './states.ts';

/** The example plugins: their server, what its windows count, and where the input of a row stands. */
export const PLUGINS = {
  translate: {
    fake: fakeTranslate,
    counts: 'accepted',
    kind: 'dna',
    column: 'dna',
    inputIn: (body: string) => body,
  },
  uniprot: {
    fake: fakeUniProt,
    counts: 'sent',
    kind: 'id-mapping',
    column: 'ids',
    inputIn: (body: string) => new URLSearchParams(body).get('ids') ?? '',
  },
} as const;
export type PluginName = keyof typeof PLUGINS;

/** Rules without a service concern this one, too, and the promises are about the service that has a limit. */
const AS = 'predictions';
const UNTOLD = { service: AS, endpoint: 'single_sequence', address: '', token: null } as const;

export class PluginService {
  readonly #name: PluginName;
  /** Of submissions, whatever became of them; ms since the epoch. */
  readonly #arrivals: number[] = [];
  readonly #fake: FakeServer;
  readonly #faults = new Faults();
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #url = '';
  #isAway = false;

  constructor({ plugin, service }: Plan) {
    const { jobMs: runsMs, enforced, limit, windowMs } = service;
    this.#name = plugin;
    const { fake, counts } = PLUGINS[plugin];
    const windows = enforced ? [{ limit, windowMs }] : [];
    this.#fake = fake({ runsMs, windows, counts });
  }

  /** Returns its port. */
  async listen(): Promise<number> {
    this.#url = await this.#fake.listen();
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  setFaults(rules: readonly FaultRule[]): void {
    this.#faults.set(rules);
  }

  /** Resets all connections for a while; jobs go on. */
  async goAway(forMs: number): Promise<void> {
    this.#isAway = true;
    this.#server.closeAllConnections();
    await delay(forMs);
    this.#isAway = false;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    this.#fake.close();
  }

  get mostOpen(): number {
    return this.#fake.mostOpen;
  }

  /** What reached the server; a request that found its job again is accepted, too. */
  journal(): JournalEntry[] {
    return this.#fake.journal.map(({ at, status, jobId }) => {
      const accepted = jobId !== null;
      return { ...UNTOLD, at, status, accepted, jobName: this.#name, requestId: jobId };
    });
  }

  /** What its windows count. */
  counted(): JournalEntry[] {
    if (PLUGINS[this.#name].counts === 'accepted') return this.journal();
    const sent = { ...UNTOLD, status: 0, accepted: true, jobName: this.#name, requestId: null };
    return this.#arrivals.map((at) => ({ ...sent, at }));
  }

  /** Each with the row's input. */
  jobs(): (ServiceJob & { readonly input: string })[] {
    return this.#fake.journal.flatMap(({ jobId, isNew }) => {
      if (jobId === null || !isNew) return [];
      const state = this.#fake.isDone(jobId) ? 'FINISHED' : 'RUNNING';
      const input = PLUGINS[this.#name].inputIn(this.#fake.bodyOf(jobId) ?? '');
      return { id: jobId, state, fault: null, input };
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', socket } = request;
    if (this.#isAway || this.#faults.findActive('refuse')) return void socket.resetAndDestroy();
    const endpoint = endpointOf(method, url);
    if (endpoint === 'submit') this.#arrivals.push(Date.now());
    try {
      const body = await buffer(request);
      for (const rule of this.#faults.strike('before', AS, endpoint))
        if (await answersBefore(rule, response)) return;
      const key = request.headers['idempotency-key'];
      const answer = await fetch(this.#url + url, {
        method,
        redirect: 'manual',
        ...(typeof key === 'string' && { headers: { 'idempotency-key': key } }),
        ...(method === 'POST' && { body }),
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      const isAccepted = answer.ok || endpoint !== 'submit';
      for (const rule of this.#faults.strike('after', AS, endpoint, () => isAccepted))
        if (await answersAfter(rule, response, answer, bytes)) return;
      send(response, answer, bytes);
    } catch {
      socket.destroy();
    }
  }
}

function endpointOf(method: string, url: string): Endpoint {
  if (method === 'POST') return 'submit';
  return /results|protein/.test(url) ? 'results' : 'status';
}

type Answered = Pick<Response, 'status' | 'headers'>;

function send(response: ServerResponse, { status, headers }: Answered, bytes: Buffer): void {
  const kept = [...headers].filter(([name]) => /^(content-type|link|location)/.test(name));
  const all = { ...Object.fromEntries(kept), 'content-length': bytes.length };
  response.writeHead(status, all).end(bytes);
}

/** Whether the request is answered, or never will be. */
async function answersBefore(rule: FaultRule, response: ServerResponse): Promise<boolean> {
  const { name, ms, status = 503, retryAfter } = rule;
  const { socket } = response;
  switch (name) {
    case 'slow':
      await delay(ms);
      return false;
    case 'accept-late':
      socket?.resetAndDestroy();
      await delay(ms);
      return false;
    case 'hang':
      await delay(ms);
      return Boolean(socket?.destroy());
    case 'reset':
      return Boolean(socket?.resetAndDestroy());
    default: {
      const code = name === 'rate-limit' ? 429 : status;
      const wait = retryAfter == null ? {} : { 'Retry-After': String(retryAfter) };
      return Boolean(response.writeHead(code, wait).end(`the fault ${name}`));
    }
  }
}

/** The same for an answer that is there. */
async function answersAfter(
  { name, ms, status = 502 }: FaultRule,
  response: ServerResponse,
  answer: Answered,
  bytes: Buffer,
): Promise<boolean> {
  const { socket } = response;
  switch (name) {
    case 'hang-after':
      await delay(ms);
      return Boolean(socket?.destroy());
    case 'reset-after':
      return Boolean(socket?.resetAndDestroy());
    case 'error-after':
      return Boolean(response.writeHead(status).end(`the fault ${name}`));
    case 'truncate':
      response.writeHead(answer.status, { 'content-length': String(bytes.length) });
      return response.write(bytes.subarray(0, bytes.length / 2), () => socket?.destroy());
    case 'wrong-type':
      answer.headers.set('content-type', 'text/html; charset=utf-8');
      return false;
    case 'garble':
      response.writeHead(200, { 'content-type': 'text/html' });
      return Boolean(response.end('<html><h1>Service temporarily unavailable</h1></html>'));
    default:
      return false;
  }
}
