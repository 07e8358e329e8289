/** A worker process with an endpoint, its services, and its answers over HTTP. */
import { randomBytes } from 'node:crypto';
import { freePort } from '../../src/temporal/machine.ts';
import type { Desk, Typed } from '../cli/command.ts';

export const TOKEN = 'mMet567890';

export interface Scene {
  /** For task queue and campaign: the server is shared by all tests. */
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
  /** The address for the services to listen on. */
  readonly port: number;
}

/** @param at where the worker is run @param url the service's, if something is in front of it */
export async function scene(at: Desk, temporal: string, url?: string): Promise<Scene> {
  const port = await freePort();
  const name = `operated-${randomBytes(3).toString('hex')}`;
  at.write(
    'hundredfold.yaml',
    `temporal: { address: "${temporal}", taskQueue: ${name} }
services: { molecules: { url: "${url ?? `http://127.0.0.1:${port}`}/acpype", budget: { limit: 50, window: 60m } } }`,
  );
  return { name, port, env: { HUNDREDFOLD_MOLECULE_TOKEN: TOKEN } };
}

/** A worker with an endpoint at any free port. */
export const WORKER = ['worker', '--metrics-port', '0'] as const;

/** The services, in a separate process. */
export async function services(at: Desk, { port, env }: Scene): Promise<Typed> {
  const words = ['services', '--engine', 'recorded', '--job-time', '200ms'];
  const typed = at.type([...words, '--port', String(port)], { env });
  await typed.says('Ctrl-C stops');
  return typed;
}

/** The endpoint's address of a worker that was just started. */
export async function endpointOf(worker: Typed): Promise<string> {
  const said = (): string | undefined => /url"?[=:]"?(http:[^"\s]+)/.exec(worker.stderr)?.[1];
  await worker.until(() => said() !== undefined, 'it said where its metrics are');
  return said() ?? '';
}

export async function get(url: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(url);
  return { status: answer.status, text: await answer.text() };
}

export async function metricsOf(url: string): Promise<{ text: string; samples: Sample[] }> {
  const { text } = await get(`${url}/metrics`);
  return { text, samples: samplesIn(text) };
}

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$/gm;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)/g;

/** Parses the text format of Prometheus, as strictly as the tests need it. */
function samplesIn(text: string): Sample[] {
  return Array.from(text.matchAll(LINE), ([, name = '', labels = '', value]) => {
    const pairs = Array.from(labels.matchAll(LABEL), ([, key = '', one = '']) => [key, one]);
    const named = Object.fromEntries(pairs) as Record<string, string>;
    return { name, labels: named, value: Number(value) };
  });
}

/** The sum of the samples of this name and these labels; null if there is none. */
export function valueOf(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | null {
  const found = samples.filter(
    (one) =>
      one.name === name &&
      Object.entries(labels).every(([key, value]) => one.labels[key] === value),
  );
  return found.length === 0 ? null : found.reduce((sum, { value }) => sum + value, 0);
}
