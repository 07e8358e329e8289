/** The systemd units of deploy/systemd. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EXIT } from '../../src/domain/exit.ts';
import { COMMAND } from '../../src/program/files.ts';

const UNITS = ['hundredfold-campaign.service', 'hundredfold-worker.service'];
const read = (unit: string): string =>
  readFileSync(join(import.meta.dirname, '..', '..', 'deploy', 'systemd', unit), 'utf8');

test.each(UNITS)(
  '%s runs a command that exists, and restarts it unless its end is final',
  (unit) => {
    const [, args = ''] = /^ExecStart=\S+\/hundredfold (.+)$/m.exec(read(unit)) ?? [];
    const { status } = spawnSync(process.execPath, [COMMAND, ...args.split(' '), '--help']);
    expect(status).toBe(0);
    const [, final = ''] = /^RestartPreventExitStatus=(.+)$/m.exec(read(unit)) ?? [];
    const ends = unit.includes('worker')
      ? [EXIT.refused]
      : [EXIT.refused, EXIT.incomplete, EXIT.cancelled];
    expect(final).toBe(ends.join(' '));
    expect(read(unit)).toContain(`SuccessExitStatus=${EXIT.interrupted}\n`);
  },
);

const verifier = spawnSync('systemd-analyze', ['--version']).status === 0;

test.skipIf(!verifier).each(UNITS)('systemd accepts %s', (unit) => {
  const folder = mkdtempSync(join(tmpdir(), 'hundredfold-unit-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, unit);
  const verify = (text: string): string => {
    writeFileSync(file, text.replace('/usr/local/bin/hundredfold', COMMAND));
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file]);
    // It also verifies units of the machine: only ours matter.
    const lines = `${String(stdout)}${String(stderr)}`.split('\n');
    return lines.filter((line) => line.includes('hundredfold')).join('\n');
  };
  expect(verify(read(unit))).toBe('');
  expect(verify(read(unit).replace('KillMode=', 'KilMode='))).toContain('KilMode');
});
