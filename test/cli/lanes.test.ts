/** Lanes as a user sets them up: measured, compared with the service, and only then used. */
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import {
  startLocalServices,
  type LocalServices,
} from '../../packages/local-services/src/server.ts';
import { type Desk, desk } from './command.ts';
import { fragments } from './manifests.ts';

const env = { HUNDREDFOLD_MOLECULE_TOKEN: 'lAnes-odd1' };

async function open(engine: 'recorded' | 'synthetic', port = 0): Promise<LocalServices> {
  const services = await startLocalServices({ database: ':memory:', engine, limit: 0, port });
  onTestFinished(() => services.close());
  return services;
}

const countAccepted = (services: LocalServices) =>
  services.journal().filter(({ accepted }) => accepted).length;

/** A service, with a lane. */
function configure(
  at: Desk,
  service: LocalServices,
  lane?: LocalServices,
  more = '',
  own = '',
): void {
  const here = lane
    ? `lanes: [{ name: here, url: "${lane.moleculesUrl}", maxOpen: 2${more} }],`
    : '';
  at.write(
    'hundredfold.yaml',
    `services: { molecules: { url: "${service.moleculesUrl}", ${here} ${own} } }`,
  );
}

const read = (at: Desk, ...path: readonly string[]) => readFileSync(at.path(...path), 'utf8');

/** The names of the lanes of a campaign. */
function listLanes(at: Desk, name: string): readonly string[] {
  const { settings } = JSON.parse(read(at, 'results', name, 'campaign.json')) as {
    settings: { services: { molecules: { lanes?: { name: string }[] } } };
  };
  return (settings.services.molecules.lanes ?? []).map((lane) => lane.name);
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

  const { stdout } = await at.runs(0, ['doctor'], { env });
  expect(stdout).toMatch(
    /^ok +engines of lanes: here \(.*\): "recorded, acpype 2023\.10\.27" \(in night-here\)$/m,
  );
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

test('a lane whose engine is exchanged while a campaign runs is paused, until the user resumes it', async () => {
  const at = desk();
  const [service, lane] = [await open('recorded'), await open('recorded')];
  configure(at, service, lane);
  fragments(at, 'night', 2);
  await at.runs(0, ['run', 'night.csv', '--compare-lanes', '2'], { env });
  await lane.close();
  const other = await open('synthetic', Number(new URL(lane.moleculesUrl).port));

  // Two more of the four an hour at the service: the rest would wait there.
  configure(at, service, other, '', 'budget: { limit: 4, window: 1h }');
  const ids = fragments(at, 'week', 14, 2);
  await at.runs(0, ['run', 'week.csv', '--detach'], { env });
  const status = async () => (await at.runs(0, ['status', 'week'], { env })).stdout;
  await expect.poll(status, { timeout: 60_000 }).toContain('LANE_ENGINE_DIFFERS');
  const words = await status();
  expect(words).toMatch(
    /The lane molecules \(127\..*\) is paused, and .* \(LANE_ENGINE_DIFFERS: the engine of the lane here \(.*\) is "synthetic", and that of the service molecules is "recorded, acpype 2023\.10\.27"\)/,
  );
  expect(words).toContain('"hundredfold resume week --service molecules" continues there');
  expect(countAccepted(other), 'at the lane until it is paused').toBeLessThan(ids.length - 4);
  await at.runs(0, ['resume', 'week', '--service', 'molecules'], { env });
  await at.runs(0, ['watch', 'week'], { env });
  expect(at.done('week')).toBe(ids.length);
  expect(countAccepted(other)).toBeGreaterThanOrEqual(ids.length - 2);
});

test('retry has both lanes, and a campaign keeps one that is no longer configured', async () => {
  const at = desk();
  const [service, lane] = [await open('recorded'), await open('recorded')];
  configure(at, service, lane, ', sameEngine: true');
  const ids = fragments(at, 'night', 6);
  const table = read(at, 'night.csv');
  at.rows.set('night', [...ids, 'odd', 'more']);
  at.resends = true;
  // Without a recording.
  at.write('night.csv', `${table}odd,molecule,CCCCCCCCC\n`);
  await at.runs(3, ['run', 'night.csv'], { env });
  const count = () => countAccepted(service) + countAccepted(lane);
  expect(count()).toBe(ids.length + 1);
  await at.runs(3, ['retry', 'night'], { env });
  expect(count(), 'only the failed row again').toBe(ids.length + 2);
  expect(listLanes(at, 'night')).toEqual(['here']);
  configure(at, service);
  at.write('night.csv', `${read(at, 'night.csv')}more,molecule,CCO\n`);
  await at.runs(3, ['run', 'night.csv'], { env });
  expect(listLanes(at, 'night')).toEqual(['here']);
  expect(read(at, 'results', 'night', 'items.csv')).toMatch(/^id,.*,computed_at\n/);
});

test('a campaign with the name of a sample keeps its rows, and is not taken for results of the lane', async () => {
  const at = desk();
  const [service, lane] = [await open('recorded'), await open('recorded')];
  configure(at, service);
  fragments(at, 'night', 4);
  await at.runs(0, ['run', 'night.csv', '--name', 'night-here'], { env });
  configure(at, service, lane);
  const compare = ['run', 'night.csv', '--compare-lanes', '2'];
  const refused = await at.runs(2, compare, { env });
  expect(refused.stderr).toContain('[CAMPAIGN_DIFFERS]');
  expect(countAccepted(lane)).toBe(0);
  expect(read(at, 'results', 'night-here', 'items.csv').trim().split('\n')).toHaveLength(5);

  // Another machine at the lane: its results are not those of the former one.
  const named = [...compare, '--name', 'n'.repeat(64)];
  await at.runs(0, named, { env });
  configure(at, service, await open('recorded'));
  const moved = await at.runs(2, named, { env });
  expect(moved.stderr).toContain('[CAMPAIGN_DIFFERS]');
});

test('only lanes of services whose results were judged are named', async () => {
  const at = desk();
  const [service, lane] = [await open('recorded'), await open('recorded')];
  const describe = (one: 'moleculesUrl' | 'url') =>
    `{ url: "${service[one]}", lanes: [{ name: here, url: "${lane[one]}", maxOpen: 2 }] }`;
  at.write(
    'hundredfold.yaml',
    `services: { molecules: ${describe('moleculesUrl')}, predictions: ${describe('url')} }`,
  );
  fragments(at, 'night', 2);
  const both = { ...env, HUNDREDFOLD_PREDICTION_TOKEN: 'lanes' };
  const compare = ['run', 'night.csv', '--compare-lanes', '2'];
  const { stdout } = await at.runs(0, compare, { env: both });
  expect(stdout).toContain('services.molecules.lanes.0');
  expect(stdout).not.toContain('services.predictions');
  await at.runs(1, [...compare, '--detach'], { env: both });
});
