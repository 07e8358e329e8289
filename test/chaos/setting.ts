/** The input of the commands of a round: arguments, environment and configuration. */
import type { DevServer } from '../../src/temporal/dev-server.ts';
import type { Proxy } from '../crash/proxy.ts';
import type { Plan } from './plan.ts';

/** Found nowhere else; the molecule service requires ten characters. */
export const TOKENS = {
  molecules: 'mChaosTk7Z',
  predictions: 'pChaosTokenQ9x',
  translate: 'tChaosKeyW4v',
} as const;

/** @param folder of the round: a user's data is there, and not in the home of the real user */
export function environmentIn(folder: string): Readonly<Record<string, string>> {
  return {
    HUNDREDFOLD_MOLECULE_TOKEN: TOKENS.molecules,
    HUNDREDFOLD_PREDICTION_TOKEN: TOKENS.predictions,
    TRANSLATE_KEY: TOKENS.translate,
    HUNDREDFOLD_STATE_DIR: `${folder}/state`,
    TMPDIR: `${folder}/tmp`,
  };
}

/** The words of `hundredfold` that start the local services, all of whose options are given. */
export function servicesWords(
  options: Readonly<Record<string, string | number>>,
  database = 'services.db',
): string[] {
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return ['services', '--engine', 'synthetic', '--database', database, ...words];
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

export const LANE_DATABASE = 'lane.db';

export function laneCommand({ engines, jobMs }: NonNullable<Plan['lane']>, port: number): string[] {
  const words = { port, limit: 0, concurrency: engines, 'job-time': `${jobMs}ms` };
  return [...servicesWords(words, LANE_DATABASE), '--fault-control'];
}

/** The windows of the plugin's service, all of which hold at once. */
export function pluginWindows({ service: { limit, windowMs } }: Plan) {
  return [
    { limit, windowMs },
    { limit: 2 * limit - 5, windowMs: 2 * windowMs },
  ];
}

/** @param proxies in front of the local services, and of the plugin's */
export function configuration(
  plan: Plan,
  [{ port }, { port: pluginPort }]: readonly [Proxy, Proxy],
  temporal: DevServer | null,
  laneUrl: string,
): string {
  const { service, plugin, lane } = plan;
  const { limit, moleculeLimit, windowMs } = service;
  const budget = (of: number | null) =>
    of === null ? 'none' : `{ limit: ${of}, window: ${windowMs}ms }`;
  const windows = pluginWindows(plan).map(
    (one) => `{ limit: ${one.limit}, window: ${one.windowMs}ms }`,
  );
  const url = `http://127.0.0.1:${port}`;
  const lanes = lane
    ? `, lanes: [{ name: here, url: "${laneUrl}", maxOpen: ${lane.engines}, sameEngine: true }]`
    : '';
  return `${temporal === null ? '' : `temporal: { address: "${temporal.address}" }\n`}plugins: [./${plugin}.ts]
services:
  molecules: { url: "${url}/acpype", budget: ${budget(moleculeLimit)} }
  predictions: { url: "${url}", budget: ${budget(limit)}, poll: { every: 250ms }${lanes} }
  ${plugin}: { url: "http://127.0.0.1:${pluginPort}", budget: [${windows.join(', ')}], poll: { every: 250ms } }
jobs: { lostAfter: 2s, sameFailures: none }
`;
}
