/** One job of each kind, with everything that a service receives. */
import { onTestFinished } from 'vitest';
import type { Options } from '../../src/domain/campaign.ts';
import type { FetchOutcome } from '../../src/domain/outcomes.ts';
import type { ServiceClient } from '../../src/services/client.ts';
import { createClient } from '../../src/services/registry.ts';
import type { Job } from '../../src/services/service.ts';
import { httpServer, json } from './scripted-server.ts';

export const TOKEN = 'tok-9f3a7c';

export const JOBS = {
  molecule: {
    kind: 'molecule',
    options: { kind: 'molecule', chargeMethod: 'bcc', netCharge: null, atomType: 'gaff2' },
    input: { name: 'input.smi', text: 'CCO ethanol\n' },
    name: 'demo.ethanol.1a2b3c',
    title: 'Ethanol',
    email: null,
  },
  sequence: {
    kind: 'sequence',
    options: { kind: 'sequence', predictors: ['dynamine', 'efoldmine', 'psper'] },
    input: { name: 'input.fasta', text: '>one\nMKTLLLTLVVVTIVCLDLGY\n' },
    name: 'demo.one.1a2b3c',
    title: null,
    email: null,
  },
  alignment: {
    kind: 'alignment',
    options: { kind: 'alignment' },
    input: { name: 'input.fasta', text: '>a\nMK-TL\n>b\nMKRTL\n' },
    name: 'demo.pair.1a2b3c',
    title: null,
    email: null,
  },
  shifts: {
    kind: 'shifts',
    options: { kind: 'shifts', modelClass: '2', originalNumbering: false },
    input: { name: 'input.nef', text: 'data_nef_x\n' },
    name: 'demo.shifts.1a2b3c',
    title: null,
    email: null,
  },
} satisfies Readonly<Record<string, Job<Options>>>;

export type OurKind = keyof typeof JOBS;

/** A signal that is never aborted. */
export function quiet(): { signal: AbortSignal } {
  return { signal: new AbortController().signal };
}

/** The client of a service, closed at the end of the test. */
export function clientAt(
  url: string,
  target: Partial<Parameters<typeof createClient>[0]> = {},
): ServiceClient {
  const defaults = {
    service: 'predictions',
    secrets: { token: TOKEN },
    deadlineMs: 2_000,
  } as const;
  const client = createClient({ ...defaults, ...target, url });
  onTestFinished(() => client.close());
  return client;
}

/** A client of a service that answers everything like this. */
export async function clientOfAnswer(
  { status = 200, body, headers }: Answer,
  target: Parameters<typeof clientAt>[1] = {},
) {
  const server = await httpServer((_, response) => json(response, status, body, headers));
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { client: clientAt(server.url, target), requests: server.requests };
}

interface Answer {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** All bytes of a download. */
export async function collect(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(body));
}

/** All bytes of a file that was found. */
export async function bytesOf(outcome: FetchOutcome): Promise<Buffer> {
  if (outcome.type !== 'found') throw new Error(`not found: ${JSON.stringify(outcome)}`);
  return collect(outcome.body);
}
