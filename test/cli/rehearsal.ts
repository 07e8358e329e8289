/**
 * The prediction service in its own process, with a budget of seconds instead of an hour, and a desk whose
 * hundredfold.yaml names it. It outlives every command, and its journal records every request that it received.
 */
import { freePort } from '../../src/temporal/machine.ts';
import type { FaultRule } from '../../packages/local-services/src/faults.ts';
import type { JournalEntry } from '../../packages/local-services/src/journal.ts';
import type { Desk } from './command.ts';

/** The real limit of the service, in jobs and seconds. */
interface Allowed {
  readonly limit: number;
  readonly seconds: number;
}

export interface Rehearsal {
  readonly url: string;
  /** Writes the limit for the runner into hundredfold.yaml; it applies from the next command on. */
  budget(limit: number): void;
  /** Enables some faults and disables others. */
  faults(rules: readonly FaultRule[]): Promise<void>;
  /** Stops the service; returns every submission that reached it. */
  end(): Promise<JournalEntry[]>;
}

/** The variable that every command needs. */
export const TOKEN = { HUNDREDFOLD_PREDICTION_TOKEN: 'pRehearsal~9' };

export async function rehearse(at: Desk, { limit, seconds }: Allowed): Promise<Rehearsal> {
  at.limits = { limit, windowMs: seconds * 1_000 };
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const options = {
    port,
    engine: 'synthetic',
    limit,
    window: `${seconds}s`,
    'job-time': '200ms',
    'retry-after': 0,
    concurrency: 0,
  };
  const words = Object.entries(options).flatMap(([option, value]) => [
    `--${option}`,
    String(value),
  ]);
  const service = at.type(['services', ...words, '--fault-control']);
  await service.says('Ctrl-C stops');
  const budget = (jobs: number) =>
    at.write(
      'hundredfold.yaml',
      `services: { predictions: { url: "${url}", budget: { limit: ${jobs}, window: ${seconds}s } } }`,
    );
  budget(limit);
  return {
    url,
    budget,
    faults: (rules) => setFaults(url, rules),
    async end() {
      service.kill('SIGTERM');
      await service.endsWith(0);
      return at.journal(at.path('services.db'));
    },
  };
}

/** Of services with `--fault-control`. */
export async function setFaults(url: string, rules: readonly FaultRule[]): Promise<void> {
  const body = JSON.stringify(rules);
  const headers = { 'content-type': 'application/json' };
  const { ok, status } = await fetch(`${url}/_faults`, { method: 'PUT', headers, body });
  if (!ok) throw new Error(`the service did not take the faults on: ${status}`);
}
