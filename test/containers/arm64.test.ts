import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
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

  test('has Node, the Temporal CLI and the native part of the SDK for arm64 only', async () => {
    for (const name of ['node', 'temporal'])
      expect(await shell(machineOf(`/usr/local/bin/${name}`)), name).toBe('183');
    const releases =
      '/opt/hundredfold/lib/node_modules/hundredfold/node_modules/@temporalio/core-bridge/releases';
    expect(await shell(`ls ${releases}`)).toBe('aarch64-unknown-linux-gnu');
    expect(await shell('temporal --version')).toContain('temporal version 1.9.1');
  });

  test('runs a campaign to its end', async () => {
    expect(await run('init')).toMatchObject({ code: 0 });
    const ran = await run('run', 'manifest.csv', '--services', 'local', '--json');
    expect(ran.code, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      state: 'completed',
      items: { total: 4, succeeded: 4 },
      submissions: 4,
      rejected429: 0,
    });
    await treeIsWhole(join(folder, 'results', 'data'));
  }, 1_800_000);
});
