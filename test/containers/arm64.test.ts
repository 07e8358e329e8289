import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { arm64Contexts } from '../../scripts/containers/bases.ts';
import { treeIsWhole } from '../promises.ts';
import { build, podman, WHY_NOT, type Ended } from './engine.ts';

const IMAGE = 'localhost/hundredfold:test-arm64';
const PLATFORM = ['--platform', 'linux/arm64'];
const without = WHY_NOT ?? process.env['HUNDREDFOLD_WITHOUT_ARM64'] ?? null;

let folder: string;

/** In the emulated container, without a network. */
async function run(...args: readonly string[]): Promise<Ended> {
  const options = ['--rm', ...PLATFORM, '--network', 'none', '--volume', `${folder}:/data`];
  return podman('run', ...options, IMAGE, ...args);
}

/** Output of a shell command in the image, without our program. */
async function shell(command: string): Promise<string> {
  const args = ['run', '--rm', ...PLATFORM, '--entrypoint', 'sh', IMAGE, '-c', command];
  return (await podman(...args)).stdout.trim();
}

/** Bytes 18 and 19 of an ELF file are the machine; 183 is AArch64. */
const machineOf = (path: string): string => `od -An -t u2 -j 18 -N 2 ${path}`;

describe.skipIf(without !== null)(`the image for arm64 (${without ?? 'emulated'})`, () => {
  beforeAll(() => {
    build('standalone', IMAGE, [...PLATFORM, ...arm64Contexts]);
    folder = mkdtempSync(join(tmpdir(), 'hundredfold-arm64-'));
    chmodSync(folder, 0o777);
  }, 2_400_000);

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test('is smaller than 450 MB, and of that architecture', async () => {
    const format = '{{.Architecture}} {{.Size}}';
    const { stdout } = await podman('image', 'inspect', '--format', format, IMAGE);
    const [architecture, size] = stdout.trim().split(' ');
    expect(architecture).toBe('arm64');
    expect(Number(size) / 1e6).toBeLessThan(450);
  });

  test('has Node, the Temporal CLI and the native part of the SDK for arm64 only', async () => {
    for (const name of ['node', 'temporal'])
      expect(await shell(machineOf(`/usr/local/bin/${name}`)), name).toBe('183');
    const releases =
      '/opt/hundredfold/lib/node_modules/hundredfold/node_modules/@temporalio/core-bridge/releases';
    expect(await shell(`ls ${releases}`)).toBe('aarch64-unknown-linux-gnu');
    expect(await shell('temporal --version')).toContain('temporal version 1.9.1');
  });

  test('plans a campaign, checks the machine, and runs the campaign to its end', async () => {
    expect((await run('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await run('init')).toMatchObject({ code: 0 });
    const planned = await run('plan', 'manifest.csv', '--json');
    expect(JSON.parse(planned.stdout), planned.stderr).toMatchObject({ rows: 4, problems: [] });
    const checked = await run('doctor', '--services', 'local');
    expect(checked.code, checked.stdout + checked.stderr).toBe(0);

    const ran = await run('run', 'manifest.csv', '--services', 'local', '--json');
    expect(ran.code, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      state: 'completed',
      items: { total: 4, succeeded: 4 },
      submissions: 4,
      rejected429: 0,
    });
    const tree = join(folder, 'results', 'data');
    expect(existsSync(join(tree, 'report.html'))).toBe(true);
    await treeIsWhole(tree);
  }, 1_800_000);
});
