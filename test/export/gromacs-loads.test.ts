/**
 * GROMACS accepts every ligand of the library, ligands in one system, in water and with a protein, without a warning.
 */
import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportLoaders } from '../../scripts/python-environment.ts';
import { exportInMemory, recordedMolecules, writeTo } from './recorded.ts';

const run = promisify(execFile);
const hasGromacs = spawnSync('gmx', ['-quiet', '-version']).status === 0;
const missing = hasGromacs ? '' : 'there is no gmx; apt-get install gromacs';
const loaders = await exportLoaders();
const withoutPython = 'missing' in loaders ? loaders.missing : '';

const LOADERS = join(import.meta.dirname, '../../scripts/export-loaders');
let folder = '';
let ids: string[] = [];

/** A file of the library in which LIGAND is the id. */
function fill(template: string, id: string): string {
  const text = readFileSync(join(folder, template), 'utf8').replaceAll('LIGAND', id);
  const name = `${id}-${template}`;
  writeFileSync(join(folder, name), text);
  return name;
}

async function gmx(...args: readonly string[]): Promise<void> {
  await run('gmx', ['-quiet', '-nobackup', ...args], { cwd: folder, maxBuffer: 2 ** 26 });
}

/** Fails at the first warning. */
async function grompp(mdp: string, top: string, gro: string): Promise<void> {
  const files = ['-f', mdp, '-p', top, '-c', gro, '-r', gro, '-o', 'out.tpr', '-po', 'out.mdp'];
  await gmx('grompp', '-maxwarn', '0', ...files);
}

/** Coordinates one after the other, in a box for all. */
function together(name: string, files: readonly string[]): void {
  const parts = files.map((file) => readFileSync(join(folder, file), 'utf8').trimEnd().split('\n'));
  const atoms = parts.flatMap((lines) => lines.slice(2, -1));
  const text = [name, String(atoms.length), ...atoms, '9.0 9.0 9.0', ''].join('\n');
  writeFileSync(join(folder, name), text);
}

/** All these ligands in one system. */
async function gromppOf(ligands: readonly string[]): Promise<void> {
  const top = [
    readFileSync(join(folder, 'ligand.top'), 'utf8').split('#include "ligands/')[0] ?? '',
    ...ligands.map((id) => `#include "ligands/${id}.itp"`),
    '[ system ]\nseveral\n[ molecules ]',
    ...ligands.map((id) => `${id} 1`),
    '',
  ].join('\n');
  writeFileSync(join(folder, 'several.top'), top);
  together(
    'several.gro',
    ligands.map((id) => `ligands/${id}.gro`),
  );
  await grompp('vacuum.mdp', 'several.top', 'several.gro');
}

describe.skipIf(!hasGromacs)(`GROMACS${missing === '' ? '' : ` (skipped: ${missing})`}`, () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hundredfold-'));
    const library = await exportInMemory('gromacs', recordedMolecules());
    await writeTo(folder, library);
    for (const name of ['ligand.top', 'vacuum.mdp'])
      copyFileSync(join(LOADERS, name), join(folder, name));
    const coordinates = [...library.files.keys()].filter((file) => file.endsWith('.gro'));
    ids = coordinates.map((file) => file.replace(/^ligands\/|\.gro$/g, ''));
  });

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test('accepts every ligand alone', { timeout: 120_000 }, async () => {
    expect(ids.length).toBeGreaterThan(80);
    for (const id of ids) await gromppOf([id]);
  });

  test('accepts ligands of all force fields in one system', { timeout: 120_000 }, async () => {
    const others = ids.filter((_, index) => index % 6 === 0);
    for (const other of others) {
      const three = [other, 'smi-benzamide-gas-auto-amber', 'file-p_cresol-bcc-auto-gaff'];
      await gromppOf([...new Set(three)]);
    }
    await gromppOf(ids);
  });

  // Its simulation: docs-examples.test.ts.
  test('accepts a ligand in water, with all run parameters', async () => {
    const id = 'smi-benzamide-gas-auto-amber';
    const top = fill('ligand-in-water.top', id);
    const box = ['editconf', '-f', `ligands/${id}.gro`, '-o', 'box.gro', '-bt', 'cubic'];
    await gmx(...box, '-d', '1.1');
    await gmx('solvate', '-cp', 'box.gro', '-cs', 'spc216.gro', '-p', top, '-o', 'water.gro');
    for (const mdp of ['em', 'nvt', 'npt', 'md']) await grompp(`${mdp}.mdp`, top, 'water.gro');
  });

  test.skipIf(withoutPython !== '')(
    `takes a ligand beside a protein${withoutPython === '' ? '' : ` (skipped: ${withoutPython})`}`,
    async () => {
      if ('missing' in loaders) throw new Error(loaders.missing);
      await loaders.load('peptide', join(folder, 'peptide.pdb'));
      const field = ['-ff', 'amber99sb-ildn', '-water', 'tip3p', '-ignh'];
      const made = ['-o', 'peptide.gro', '-p', 'peptide.top', '-i', 'posre.itp'];
      await gmx('pdb2gmx', '-f', 'peptide.pdb', ...field, ...made);
      const topology = readFileSync(join(folder, 'peptide.top'), 'utf8');
      const from = topology.indexOf('[ moleculetype ]');
      const protein = topology.slice(from, topology.indexOf('; Include water topology'));
      writeFileSync(join(folder, 'protein.itp'), protein.replace('Protein_chain_A', 'Protein'));
      const id = 'smi-benzamide-gas-auto-amber';
      together('complex.gro', ['peptide.gro', `ligands/${id}.gro`]);
      const nvt = readFileSync(join(folder, 'nvt.mdp'), 'utf8');
      writeFileSync(join(folder, 'held.mdp'), nvt.replace('-DPOSRES_LIG', '-DPOSRES -DPOSRES_LIG'));
      const top = fill('protein-ligand.top', id);
      await grompp('em.mdp', top, 'complex.gro');
      await grompp('held.mdp', top, 'complex.gro');
    },
  );
});
