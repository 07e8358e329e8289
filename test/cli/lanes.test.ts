/** Lanes as a user sets them up: measured, compared with the service, and only then used. */
import { expect, onTestFinished, test } from 'vitest';
import {
  startLocalServices,
  type LocalServices,
} from '../../packages/local-services/src/server.ts';
import { type Desk, desk } from './command.ts';
import { fragments } from './manifests.ts';

const env = { HUNDREDFOLD_MOLECULE_TOKEN: 'lAnes-odd1' };

async function open(engine: 'recorded' | 'synthetic'): Promise<LocalServices> {
  const services = await startLocalServices({ database: ':memory:', engine, limit: 0 });
  onTestFinished(() => services.close());
  return services;
}

const countAccepted = (services: LocalServices) =>
  services.journal().filter(({ accepted }) => accepted).length;

/** A service with a lane. */
function configure(at: Desk, service: LocalServices, lane: LocalServices): void {
  const here = `{ name: here, url: "${lane.moleculesUrl}", maxOpen: 2 }`;
  at.write(
    'hundredfold.yaml',
    `services: { molecules: { url: "${service.moleculesUrl}", lanes: [${here}] } }`,
  );
}

test('a lane is measured and compared by a sample; with the version of the service, it is used', async () => {
  const at = desk();
  const [service, lane] = [await open('recorded'), await open('recorded')];
  configure(at, service, lane);
  const ids = fragments(at, 'night', 12);
  const refused = await at.runs(2, ['run', 'night.csv'], { env });
  expect(refused.stderr).toContain('[LANE_ENGINE_UNKNOWN]');

  const planned = await at.runs(0, ['plan', 'night.csv', '--probe'], { env });
  expect(planned.stdout).toMatch(/lane here: \d+ jobs?, about \d+ an hour/);
  expect([countAccepted(service), countAccepted(lane)]).toEqual([0, 3]);
  await at.runs(0, ['plan', 'night.csv', '--probe'], { env });
  expect(countAccepted(lane), 'measured once').toBe(3);

  const compare = ['run', 'night.csv', '--compare-lanes', '4'];
  const compared = await at.runs(0, compare, { env });
  expect(compared.stdout).toMatch(/molecule +Partial charges +\d +0 +- +0\.01 +yes/);
  expect(compared.stdout).toContain('sameEngine: true    at services.molecules.lanes.0');
  expect([countAccepted(service), countAccepted(lane)]).toEqual([4, 7]);
  const again = await at.runs(0, [...compare, '--json'], { env });
  expect(JSON.parse(again.stdout)).toMatchObject({
    lanes: [{ lane: 'here', agrees: true, pairs: 4, alone: [] }],
  });
  expect([countAccepted(service), countAccepted(lane)], 'computed once').toEqual([4, 7]);

  await at.runs(0, ['run', 'night.csv'], { env });
  expect(at.done('night')).toBe(ids.length);
  // The service's results of the sample are used again.
  expect(countAccepted(service) + countAccepted(lane)).toBe(7 + ids.length);
});

test('a lane whose results differ is told, and refused from then on', async () => {
  const at = desk();
  configure(at, await open('recorded'), await open('synthetic'));
  fragments(at, 'night', 3);
  const compared = await at.runs(3, ['run', 'night.csv', '--compare-lanes', '2'], { env });
  expect(compared.stdout).toContain('They do not agree: do not write sameEngine: true');
  const { stderr } = await at.runs(2, ['run', 'night.csv'], { env });
  expect(stderr).toContain('[LANE_ENGINE_DIFFERS]');
});
