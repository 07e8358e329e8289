/** Runs the examples of docs/export.md as they are written, on a tree with the items that they name. */
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportLoaders } from '../../scripts/python-environment.ts';
import { openFileStore } from '../../src/store/file-store.ts';
import { BIN, ROOT } from '../cli/command.ts';
import { moleculeEnd, resultCampaign, sequenceEnd } from '../report/tables/result-campaign.ts';
import { recordingText } from '../services/recordings.ts';
import { madeStructure, recordedMolecule, sequenceItem } from './recorded.ts';

const run = promisify(execFile);
const loaders = await exportLoaders();
const withoutPython = 'missing' in loaders ? ` (skipped: ${loaders.missing})` : '';
const hasGromacs = spawnSync('gmx', ['-quiet', '-version']).status === 0;
const withoutGromacs = hasGromacs ? '' : ' (skipped: there is no gmx)';

const SEQUENCE = 'b2btools/edge/len_20-all5';
const page = readFileSync(join(ROOT, 'docs', 'export.md'), 'utf8');
let folder = '';

/** The examples below a heading, in one language. */
function examples(heading: string, language: string): string[] {
  const section = page.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? '';
  const found = [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  return found.filter(([, one]) => one === language).map(([, , text]) => text ?? '');
}

async function type(shell: string, text: string, cwd = folder): Promise<string> {
  const path = `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`;
  const env = { PATH: path, HOME: folder, GMX_MAXBACKUP: '-1' };
  const args = shell === 'bash' ? ['-ec', text] : ['-c', text];
  const { stdout } = await run(shell, args, { cwd, env, maxBuffer: 2 ** 26 });
  return stdout;
}

/** A tree of the campaign night: aspirin, caffeine and lysozyme with a structure, as recorded. */
async function writeTree(): Promise<void> {
  const molecule = (id: string) => {
    const recording = `smi-${id}-bcc-0-gaff2`;
    return moleculeEnd(id, recording, { input: recordedMolecule(recording).input });
  };
  const user = { structure: 'models/lysozyme.pdb' };
  const lysozyme = sequenceEnd('lysozyme', recordingText(SEQUENCE), { user });
  const store = await openFileStore(join(folder, 'results', 'night'));
  await resultCampaign([molecule('aspirin'), molecule('caffeine'), lysozyme], store);
}

/** A program of the user's PATH. */
function program(name: string, command: string): void {
  const path = join(folder, 'bin', name);
  writeFileSync(path, `#!/bin/sh\nexec ${command} "$@"\n`);
  chmodSync(path, 0o755);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hundredfold-docs-'));
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'models'));
  program('hundredfold', `${process.execPath} ${BIN}`);
  // Not a link: Python finds its environment by the path that it was started from.
  if (!('missing' in loaders)) program('python', loaders.python);
  const { reading } = sequenceItem(`${SEQUENCE}.json`);
  const residues = reading?.kind === 'sequence' ? (reading.proteins[0]?.residues ?? '') : '';
  writeFileSync(join(folder, 'models', 'lysozyme.pdb'), madeStructure(residues));
  await writeTree();
}, 60_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const LONG = { timeout: 300_000 };
const BOTH = /^aspirin 0 -?\d\S*\ncaffeine 0 -?\d\S*\n$/;

test('the first examples, and those that only export', LONG, async () => {
  const first = /^```sh\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? '';
  expect(await type('bash', first)).toMatch(/^gromacs +molecule /m);
  for (const heading of ['smi', 'gff']) {
    for (const example of examples(heading, 'sh')) await type('bash', example);
  }
  expect(readFileSync(join(folder, 'ligands-smi', 'molecules.smi'), 'utf8')).toMatch(
    / caffeine\n$/,
  );
  const [jalview = ''] = examples('jalview', 'sh');
  // Jalview is a program with windows.
  await type('bash', jalview.replace(/^jalview .*$/m, ''));
  expect(readFileSync(join(folder, 'tracks', 'lysozyme.annotations'), 'utf8')).toMatch(/^JALVIEW/);
});

describe.skipIf(!hasGromacs)(`GROMACS${withoutGromacs}`, () => {
  test('runs the ligand in water as documented', LONG, async () => {
    const [example = ''] = examples('gromacs', 'sh');
    // The steps of a user take hours; the first few show that they work.
    const few = example.replace(/gmx mdrun (.*)/g, 'gmx mdrun $1 -nsteps 20 -ntmpi 1 -ntomp 1');
    expect(few.match(/-nsteps/g)).toHaveLength(2);
    await type('bash', few);
    expect(readFileSync(join(folder, 'library', 'nvt.gro'), 'utf8')).toContain('SOL');
  });
});

describe.skipIf(withoutPython !== '')(`Python${withoutPython}`, () => {
  test.each([
    ['openmm', 'amber', /^21\n$/, /^-?\d+\.\d+ kJ\/mol\n$/],
    ['sdf', 'ligands', BOTH, BOTH],
    // PyMOL is a program with windows.
    ['pdb', 'disorder', /^\w{3} 1 0\.\d+\n/, null],
  ])('runs the example of %s, and its README', LONG, async (heading, out, printed, next) => {
    for (const example of examples(heading, 'sh')) await type('bash', example);
    const [python = ''] = examples(heading, 'python');
    // The test structure has a water, which has no CA.
    const shown = python.replace('in structure[0].get_residues()', 'in structure[0]["A"]');
    if ('missing' in loaders) throw new Error(loaders.missing);
    expect(await type(loaders.python, shown)).toMatch(printed);
    if (next === null) return;
    const readme = readFileSync(join(folder, out, 'README.md'), 'utf8');
    const [, block = ''] = /^```python\n([\s\S]*?)^```$/m.exec(readme) ?? [];
    expect(await type(loaders.python, block, join(folder, out))).toMatch(next);
  });
});
