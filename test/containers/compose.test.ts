import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { itemsTable, keepsPromises } from '../promises.ts';
import { molecules, sequences } from '../rig.ts';
import { Composition, type ServiceName } from './composition.ts';
import { build, WHY_NOT } from './engine.ts';

const LIMITS = { limit: 10, windowMs: 5_000 };
/** Enough that the campaign is not over before all containers were killed. */
const SEQUENCES = 150;
const MOLECULES = 10;
const MANIFEST = '/night/manifest.jsonl';
const KILLED: readonly ServiceName[] = [
  'worker',
  'services',
  'temporal',
  'postgresql',
  'temporal-ui',
];

const program = process.env['HUNDREDFOLD_PODMAN_COMPOSE'] ?? '';
const without =
  WHY_NOT ?? process.env['HUNDREDFOLD_WITHOUT_COMPOSE'] ?? (program ? null : 'no podman-compose');

const rows = [...sequences(SEQUENCES), ...molecules(MOLECULES)];
const RUN = ['run', MANIFEST, '--name', 'night', '--no-worker', '--yes'];

describe.skipIf(without !== null)(`docker-compose.yml (${without ?? 'run by podman'})`, () => {
  let composition: Composition;
  let copy: string;

  beforeAll(async () => {
    build('cluster', 'localhost/hundredfold:0.1.0-cluster');
    composition = await Composition.open({ program, limits: LIMITS, jobMs: 300 });
    copy = mkdtempSync(join(tmpdir(), 'hundredfold-compose-tree-'));
    writeFileSync(
      join(composition.night, 'manifest.jsonl'),
      rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    );
    chmodSync(composition.night, 0o755);
    await composition.up();
  }, 600_000);

  afterAll(async () => {
    await composition.close();
    rmSync(copy, { recursive: true, force: true });
  }, 120_000);

  /** A stuck campaign would pass every check that waits for nothing. */
  async function moves(): Promise<void> {
    const before = await composition.jobs();
    await expect
      .poll(() => composition.jobs(), { timeout: 180_000, interval: 500 })
      .toBeGreaterThanOrEqual(before + 3);
  }

  test('a campaign loses nothing and submits nothing twice while each container is killed and all are removed', async () => {
    await composition.type(...RUN, '--detach');
    for (const service of KILLED) {
      await moves();
      await composition.crash(service);
      await composition.healthy();
    }
    await moves();
    const logs = [await composition.logs()];
    await composition.down();
    expect((await composition.journal()).length, 'it was over').toBeLessThan(rows.length);
    await composition.up();

    // The same command joins the campaign, and ends with it.
    const { stdout } = await composition.type(...RUN, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      state: 'completed',
      items: { total: rows.length, failed: 0 },
      rejected429: 0,
    });
    expect(await composition.stop('worker'), 'exit code of a stopped worker').toBe(0);
    logs.push(await composition.logs());
    await composition.down();

    cpSync(join(await composition.volume('results'), 'results', 'night'), copy, {
      recursive: true,
    });
    const ids = rows.map(({ id }) => id);
    await keepsPromises({
      journal: await composition.journal(),
      windows: [LIMITS],
      rows: ids,
      trees: [{ folder: copy, ids }],
      secrets: Object.values(composition.tokens),
      folders: [copy],
      texts: Object.fromEntries(logs.map((each, n) => [`logs ${n}`, JSON.stringify(each)])),
    });
    // A molecule whose POST was in progress when a container was killed cannot be looked up, and is never sent twice.
    const others = (await itemsTable(copy)).filter(({ state }) => state !== 'succeeded');
    for (const { id, kind, error_code: code } of others)
      expect([kind, code], id).toEqual(['molecule', 'SUBMIT_UNSURE']);
    expect(JSON.stringify(logs)).not.toContain('other users of this machine');
  }, 1_200_000);
});
