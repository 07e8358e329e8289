import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build, podman, WHY_NOT } from './engine.ts';

const STANDALONE = 'localhost/hundredfold:test';
const CLUSTER = 'localhost/hundredfold:test-cluster';
const NAME = `hundredfold-test-${process.pid}`;
/** An id without an account, which owns nothing in the image. */
const USER = '4711:4711';

let folder: string;

/** As on a hardened machine: no root, the image is read-only, and no network. */
const careful = () => [
  '--read-only',
  '--read-only-tmpfs=false',
  '--network',
  'none',
  '--user',
  USER,
  '--volume',
  `${folder}:/data`,
];
const campaign = ['run', 'manifest.csv', '--services', 'local'];

describe.skipIf(WHY_NOT !== null)(`the image (${WHY_NOT ?? 'built and run'})`, () => {
  beforeAll(() => {
    build('standalone', STANDALONE);
    build('cluster', CLUSTER);
    folder = mkdtempSync(join(tmpdir(), 'hundredfold-image-'));
    chmodSync(folder, 0o777);
  }, 600_000);

  afterAll(async () => {
    await podman('rm', '--force', '--ignore', NAME);
    rmSync(folder, { recursive: true, force: true });
  });

  test('is smaller than 450 MB', async () => {
    const { stdout } = await podman('image', 'inspect', '--format', '{{.Size}}', STANDALONE);
    expect(Number(stdout) / 1e6).toBeLessThan(450);
  });

  test('runs a campaign on its own, is stopped by SIGTERM in the middle, and continues', async () => {
    expect(await podman('run', '--rm', ...careful(), STANDALONE, 'init')).toMatchObject({
      code: 0,
    });
    expect(statSync(join(folder, 'manifest.csv')).uid).toBe(4711);
    await podman('run', '--detach', '--name', NAME, ...careful(), STANDALONE, ...campaign);
    const log = async () => (await podman('logs', NAME)).stderr;
    await expect.poll(log, { timeout: 120_000, interval: 200 }).toContain('0 of 4');
    expect(await podman('exec', NAME, 'node', '/opt/hundredfold/health.mjs')).toMatchObject({
      code: 0,
    });
    await podman('stop', '--time', '60', NAME);
    const { stdout: exit } = await podman('wait', NAME);
    expect(Number(exit), await log()).toBe(130);

    const again = await podman('run', '--rm', ...careful(), STANDALONE, ...campaign, '--json');
    expect(JSON.parse(again.stdout), again.stderr).toMatchObject({
      state: 'completed',
      items: { total: 4, succeeded: 4 },
      submissions: 4,
    });
    expect(existsSync(join(folder, 'results', 'data', 'report.html'))).toBe(true);
  });

  test('for clusters contains no Temporal server', async () => {
    const look = ['--entrypoint', 'sh', CLUSTER, '-c', 'command -v temporal'];
    expect((await podman('run', '--rm', ...look)).code).not.toBe(0);
    const version = await podman('run', '--rm', CLUSTER, '--version');
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
