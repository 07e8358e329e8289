/**
 * What both fake servers have in common: jobs in memory, a journal of every submission, and faults on purpose. They are
 * for rehearsals and tests, and compute nothing that is true.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Faults {
  /** Of every so many submissions, one is accepted and its answer lost; 0: none. */
  readonly loseEvery?: number;
  /** Of every so many submissions, one is refused with 429, in addition to those beyond a limit. */
  readonly busyEvery?: number;
  /** Jobs in any window of this many ms, all of them at once, and jobs that are open at the same time. */
  readonly windows?: readonly { readonly limit: number; readonly windowMs: number }[];
  readonly maxOpen?: number;
  /** Whether a window counts the jobs, or every submission. */
  readonly counts?: 'accepted' | 'sent';
  /** How long a job runs (ms). */
  readonly runsMs?: number;
}

/** A submission that reached the server. */
export interface Submission {
  readonly at: number;
  readonly jobId: string | null;
  readonly status: 200 | 429;
  /** False if the same request had made the job before, or none was made. */
  readonly isNew: boolean;
  /** Whether it was beyond a limit. */
  readonly isTooMany: boolean;
  readonly isAnswerLost: boolean;
}

interface Job {
  readonly body: string;
  readonly endsAt: number;
}

/** Answers a request for anything but a new job. */
export type Answer = (path: string, query: URLSearchParams, response: ServerResponse) => void;

export class FakeServer {
  readonly journal: Submission[] = [];
  /** The most jobs that were open at the same time. */
  mostOpen = 0;
  readonly #jobs = new Map<string, Job>();
  readonly #faults: Faults;
  readonly #server;

  constructor(faults: Faults, submitPath: string, acknowledge: AcknowledgeJob, answer: Answer) {
    this.#faults = faults;
    this.#server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      if (request.method === 'POST' && url.pathname === submitPath)
        void this.#submit(request, response, acknowledge);
      else answer(url.pathname, url.searchParams, response);
    });
  }

  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Undefined: there is no such job. */
  bodyOf(id: string): string | undefined {
    return this.#jobs.get(id)?.body;
  }

  isDone(id: string): boolean {
    return (this.#jobs.get(id)?.endsAt ?? Infinity) <= Date.now();
  }

  async #submit(
    request: IncomingMessage,
    response: ServerResponse,
    acknowledge: AcknowledgeJob,
  ): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const at = Date.now();
    const number = this.journal.length + 1;
    const { loseEvery = 0, busyEvery = 0, runsMs = 300 } = this.#faults;
    // The same request gives the same job: by its key, or by its content.
    const key = String(request.headers['idempotency-key'] ?? body);
    const jobId = createHash('sha1').update(key).digest('hex');
    const isNew = !this.#jobs.has(jobId);
    const isTooMany = isNew && this.#isFull(at);
    if (isTooMany || (busyEvery > 0 && number % busyEvery === 0)) {
      const none = { jobId: null, isNew: false, isAnswerLost: false };
      this.journal.push({ at, status: 429, isTooMany, ...none });
      response.writeHead(429, { 'Retry-After': '1' }).end('too many requests');
      return;
    }
    if (isNew) this.#jobs.set(jobId, { body, endsAt: at + runsMs });
    this.mostOpen = Math.max(this.mostOpen, this.#open(at));
    const isAnswerLost = loseEvery > 0 && number % loseEvery === 0;
    this.journal.push({ at, jobId, status: 200, isNew, isTooMany, isAnswerLost });
    if (isAnswerLost) request.socket.destroy();
    else acknowledge(jobId, response);
  }

  #isFull(at: number): boolean {
    const { windows = [], maxOpen = Infinity, counts = 'accepted' } = this.#faults;
    const counted = this.journal.filter(({ isNew }) => isNew || counts === 'sent');
    const isFull = windows.some(
      ({ limit, windowMs }) => counted.filter((one) => at - one.at < windowMs).length >= limit,
    );
    return isFull || this.#open(at) >= maxOpen;
  }

  #open(at: number): number {
    return [...this.#jobs.values()].filter(({ endsAt }) => endsAt > at).length;
  }
}

type AcknowledgeJob = (jobId: string, response: ServerResponse) => void;

export function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
}
