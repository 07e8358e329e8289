/**
 * Differences between ACPYPE 2023.10.27 and 2026.10.15, by the recorded runs of both (docs/engines.md describes them).
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compareMolecules } from '../../scripts/verify/compare-molecules.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const FORMER = join(ROOT, 'src/local-services/recordings/acpype');
const NEWER = join(ROOT, 'test/recordings/acpype-2026.10.15');

interface Run {
  readonly ok: boolean;
  readonly log: string;
  readonly results: Readonly<Record<string, string>>;
}

function run(folder: string, file: string): Run {
  return JSON.parse(gunzipSync(readFileSync(join(folder, file))).toString()) as Run;
}

const recorded = (folder: string): readonly string[] =>
  readdirSync(folder).filter((file) => file.endsWith('.json.gz'));

test('every molecule has the same atoms and atom types, and charges that depend on its conformation', () => {
  const farther: string[] = [];
  const otherEnds: string[] = [];
  let compared = 0;
  for (const file of recorded(FORMER)) {
    const [before, now] = [run(FORMER, file), run(NEWER, file)];
    if (before.ok !== now.ok) otherEnds.push(file);
    if (!before.ok || !now.ok) continue;
    compared += 1;
    const { same, chargesAlone } = compareMolecules(
      before.results['mol2'] ?? '',
      now.results['mol2'] ?? '',
    );
    expect([file, same || chargesAlone]).toEqual([file, true]);
    if (!same) farther.push(file);
  }
  expect(compared).toBeGreaterThan(80);
  // Guessed parameters for silicon are refused now.
  expect(otherEnds).toEqual(['smi-silane-bcc-auto-gaff2.json.gz']);
  // Flexible molecules, from a SMILES: by up to 0.43 elementary charges.
  const flexible = [
    'smi-lidocaine-bcc-0-gaff2.json.gz',
    'smi-s_propranolol-bcc-0-gaff2.json.gz',
    'smi-trimethyl_phosphate-bcc-auto-gaff2.json.gz',
  ];
  expect(farther.filter((file) => !flexible.includes(file))).toEqual([]);
});

test('abcg2 gives other charges than bcc, and the same atoms and types', () => {
  const runs = recorded(NEWER).filter((file) => file.includes('-abcg2-'));
  const succeeded = runs.filter((file) => run(NEWER, file).ok);
  expect(succeeded.length).toBeGreaterThan(70);
  for (const file of succeeded) {
    const [bcc, abcg2] = [run(NEWER, file.replace('-abcg2-', '-bcc-')), run(NEWER, file)];
    const { same, chargesAlone } = compareMolecules(
      bcc.results['mol2'] ?? '',
      abcg2.results['mol2'] ?? '',
    );
    expect([file, same || chargesAlone]).toEqual([file, true]);
    expect(Object.values(abcg2.results).filter((text) => text.trim() === '')).toEqual([]);
  }
});

test('every log names the version', () => {
  for (const file of recorded(NEWER)) {
    const { ok, log } = run(NEWER, file);
    if (ok) expect(log).toContain('v. 2026.10.15');
  }
});
