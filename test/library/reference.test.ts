/** The reference of the library, as `npx typedoc` writes it: every warning of TypeDoc is an error. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

test('documents everything that the library exports, without broken links', () => {
  const out = mkdtempSync(join(tmpdir(), 'hundredfold-api-'));
  onTestFinished(() => rmSync(out, { recursive: true }));
  const typedoc = join(ROOT, 'node_modules', 'typedoc', 'bin', 'typedoc');
  const run = spawnSync(process.execPath, [typedoc, '--out', out], { cwd: ROOT, encoding: 'utf8' });
  expect(run.stdout + run.stderr).not.toMatch(/\[(warning|error)\]/);
  expect(run.status).toBe(0);
  const page = readFileSync(join(out, 'functions', 'startCampaign.html'), 'utf8');
  // TypeDoc keeps the line breaks of a comment.
  expect(page.replaceAll(/\s+/g, ' ')).toContain('nothing is submitted twice');
});
