/** The input of the commands of a round: arguments, environment and configuration. */
import type { DevServer } from '../../src/temporal/dev-server.ts';
import type { Plan } from './plan.ts';

/** Found nowhere else; the molecule service requires ten characters. */
export const TOKENS = { molecules: 'mChaosTk7Z', predictions: 'pChaosTokenQ9x' } as const;

/** @param folder of the round: a user's data is there, and not in the home of the real user */
export function environmentIn(folder: string): Readonly<Record<string, string>> {
  return {
    HUNDREDFOLD_MOLECULE_TOKEN: TOKENS.molecules,
    HUNDREDFOLD_PREDICTION_TOKEN: TOKENS.predictions,
    HUNDREDFOLD_STATE_DIR: `${folder}/state`,
    TMPDIR: `${folder}/tmp`,
  };
}

/** The words of `hundredfold` that start the local services, all of whose options are given. */
export function servicesWords(options: Readonly<Record<string, string | number>>): string[] {
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return ['services', '--engine', 'synthetic', '--database', 'services.db', ...words];
}

export function servicesCommand({ service }: Plan, port: number): string[] {
  const { limit, moleculeLimit, windowMs, enforced, jobMs } = service;
  const words = servicesWords({
    port,
    limit: enforced ? limit : 0,
    'molecule-limit': enforced ? (moleculeLimit ?? 0) : 0,
    window: `${windowMs}ms`,
    'job-time': `${jobMs}ms`,
    concurrency: service.concurrency,
    'retry-after': service.retryAfterSeconds,
  });
  return [...words, '--fault-control'];
}

/** @param port of the proxy in front of the services */
export function configuration({ service }: Plan, port: number, temporal: DevServer | null): string {
  const { limit, moleculeLimit, windowMs } = service;
  const budget = (of: number | null) =>
    of === null ? 'none' : `{ limit: ${of}, window: ${windowMs}ms }`;
  const url = `http://127.0.0.1:${port}`;
  return `${temporal === null ? '' : `temporal: { address: "${temporal.address}" }\n`}services:
  molecules: { url: "${url}/acpype", budget: ${budget(moleculeLimit)} }
  predictions: { url: "${url}", budget: ${budget(limit)}, poll: { every: 250ms } }
jobs: { lostAfter: 2s, sameFailures: none }
`;
}
