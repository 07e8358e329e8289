/**
 * The command's messages when the database of the embedded server cannot be read, and when the limit of open files is
 * too low.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BIN, desk } from '../cli/command.ts';

test('a damaged database is reported with a code, its path and a remedy', async () => {
  const at = desk();
  mkdirSync(at.embedded);
  writeFileSync(join(at.embedded, 'temporal.db'), 'no database '.repeat(1_000));
  const { stderr } = await at.runs(1, ['status']);
  expect(stderr).toContain('[TEMPORAL_DATABASE_DAMAGED]');
  expect(stderr).toContain(join('.hundredfold', 'temporal.db'));
  expect(stderr).toContain('mv ');
  expect(stderr.length, 'no pages of Go').toBeLessThan(2_000);
});

test.runIf(process.platform === 'linux')('a limit of 64 open files is refused with a code', () => {
  const at = desk();
  at.write('m.csv', 'id,smiles\na,CCO\n');
  const command = [process.execPath, BIN, 'run', 'm.csv', '--services', 'local', '-y'];
  const words = ['-c', 'ulimit -n 64; exec "$@"', 'sh', ...command];
  const { status, stderr } = spawnSync('sh', words, { cwd: at.folder, encoding: 'utf8' });
  expect(stderr).toContain('[OPEN_FILES_LIMIT]');
  expect(stderr).toContain('ulimit -n ');
  expect(status).toBe(1);
});
