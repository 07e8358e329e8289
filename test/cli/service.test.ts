import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemdUnit } from '../../src/cli/text/systemd-unit.ts';
import { COMMAND } from '../../src/program/files.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hundredfold 100% service-'));
  writeFileSync(join(folder, 'night.csv'), 'id,sequence\na,MKV\n');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function print(...args: readonly string[]) {
  return spawnSync(process.execPath, [COMMAND, 'service', 'print', ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
}

const verifier = spawnSync('systemd-analyze', ['--version']).status === 0;

/** systemd's complaints: directives, paths, the program. */
function complaints(unit: string, name = 'hundredfold-night.service'): string {
  const file = join(folder, name);
  writeFileSync(file, unit);
  const args = ['verify', '--man=no', file];
  const { stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  // It also verifies units of the machine: only ours matter.
  return `${stdout}${stderr}`
    .split('\n')
    .filter((line) => line.includes('hundredfold'))
    .join('\n');
}

describe.skipIf(!verifier)('systemd-analyze verify (apt-get install systemd)', () => {
  test.each([
    ['worker'],
    ['worker', '--system'],
    ['campaign', 'night.csv', '--services', 'local'],
    ['campaign', 'night.csv', '--system', '--name', 'x', '--config', 'a "b" $c.yaml'],
  ])('accepts the unit of %s %s %s', (...args) => {
    const { stdout, status } = print(...args);
    expect(status).toBe(0);
    expect(complaints(stdout)).toBe('');
  });

  test('would report a directive that does not exist', () => {
    const { stdout } = print('worker');
    expect(complaints(stdout.replace('KillMode=', 'KilMode='))).toContain('KilMode');
    expect(complaints(stdout.replace('ExecStart=', 'ExecStart=/nowhere'))).toContain('nowhere');
  });
});

describe('a campaign that survives a restart of the machine', () => {
  test('has a unit that restarts it unless its exit code is final', () => {
    const { stdout } = print('campaign', 'night.csv', '--services', 'local');
    expect(stdout).toContain(' run night.csv --name night --yes --services local\n');
    expect(stdout).toContain('Restart=on-failure');
    expect(stdout).toContain('RestartPreventExitStatus=2 3 4');
    expect(stdout).toContain('WantedBy=default.target');
  });

  test('stops its Temporal server after its worker', () => {
    expect(print('campaign', 'night.csv').stdout).toContain('KillMode=mixed');
  });

  test('says on stderr where to put the unit and the tokens', () => {
    const { stdout, stderr } = print('campaign', 'night.csv');
    expect(stderr).toContain('systemctl --user enable --now hundredfold-night.service');
    expect(stdout).toMatch(/^\[Unit\]/);
  });

  test('is refused if the manifest is missing', () => {
    const { stdout, stderr, status } = print('campaign', 'nihgt.csv');
    expect({ stdout, status }).toEqual({ stdout: '', status: 2 });
    expect(stderr).toContain('SERVICE_MANIFEST_MISSING');
  });
});

test('words with a special meaning for systemd are quoted', () => {
  const unit = systemdUnit({
    description: '100%',
    command: ['/usr/bin/node', 'a b', '50%', '$HOME', 'say "hi"\\', ''],
    folder: '/srv/100% sure',
    environmentFile: '%h/x.env',
    final: [],
    user: null,
    stopWithin: 90,
  });
  expect(unit).toContain('ExecStart=/usr/bin/node "a b" 50%% $$HOME "say \\"hi\\"\\\\" ""\n');
  expect(unit).toContain('WorkingDirectory=/srv/100%% sure\n');
  expect(unit).toContain('Description=100%%\n');
});
