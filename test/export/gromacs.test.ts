/** The ligand library for GROMACS: what is merged, renamed and reported. */
import { expect, test } from 'vitest';
import { AtomTypes, type AtomTypeLine } from '../../src/export/gromacs/atom-types.ts';
import { exportInMemory, recordedMolecule, recordedMolecules } from './recorded.ts';

const carbon: AtomTypeLine = {
  name: 'c3',
  parameters: ['0.00000', '0.00000', 'A', '3.39771e-01', '4.51035e-01'],
};
const otherCarbon: AtomTypeLine = {
  name: 'c3',
  parameters: ['0.00000', '0.00000', 'A', '3.39967e-01', '4.57730e-01'],
};

test('equal atom types are merged, and a different one of the same name is renamed', () => {
  const types = new AtomTypes();
  expect(types.add([carbon]).renamed).toEqual([]);
  // The same values in another notation.
  const same = { ...carbon, parameters: ['0', '0', 'A', '0.339771', '0.451035'] };
  expect(types.add([same]).types[0]?.newName).toBe('c3');
  const renamed = types.add([otherCarbon]);
  expect(renamed.types[0]?.newName).toBe('c3_2');
  expect(renamed.renamed).toEqual([
    'the atom type c3 of its file is c3_2 here: another ligand has a type of that name with other parameters',
  ]);
  // It is reported once.
  expect(types.add([otherCarbon])).toMatchObject({ renamed: [] });
  expect(types.text().match(/^c3/gm)).toHaveLength(2);
});

test("AMBER's own types do not collide with those of a protein force field", () => {
  const { files } = exportInMemory('gromacs', [recordedMolecule('smi-benzamide-gas-auto-amber')]);
  const itp = files.get('ligands/smi-benzamide-gas-auto-amber.itp') ?? '';
  expect(files.get('atomtypes.itp')).toMatch(
    /^CA_lig +CA_lig +0\.00000 +0\.00000 +A +3\.39967e-01/m,
  );
  expect(itp).toMatch(/^ +4 +CA_lig +1 +UNL +C1 +4 +0\.036794/m);
  expect(itp).not.toMatch(/^ +\d+ +CA +1 +UNL/m);
});

test('each ligand has its id as the name of its molecule, and its restraints', () => {
  const { files, notes } = exportInMemory('gromacs', [
    recordedMolecule('smi-aspirin-bcc-0-gaff2'),
    recordedMolecule('smi-aspirin-gas-auto-gaff2'),
  ]);
  const itp = files.get('ligands/smi-aspirin-gas-auto-gaff2.itp') ?? '';
  expect(itp).toMatch(/\[ moleculetype \]\n;.*\n smi-aspirin-gas-auto-gaff2 +3\n/);
  expect(itp).toMatch(
    /#ifdef POSRES_LIG\n#include "posre_smi-aspirin-gas-auto-gaff2.itp"\n#endif\n$/,
  );
  expect(itp).not.toContain('[ atomtypes ]');
  // Aspirin has 13 heavy atoms, which come first in its files.
  const restraints = files.get('ligands/posre_smi-aspirin-gas-auto-gaff2.itp') ?? '';
  expect(restraints.match(/^ +\d+ +1 +1000 +1000 +1000$/gm)).toHaveLength(13);
  expect(notes).toEqual([
    {
      id: 'smi-aspirin-gas-auto-gaff2',
      message:
        "ACPYPE's files call it aspirin, as those of smi-aspirin-bcc-0-gaff2; in the library it is smi-aspirin-gas-auto-gaff2",
    },
  ]);
});

test('the box of a ligand is large enough for the cut-offs', () => {
  const { files } = exportInMemory('gromacs', [recordedMolecule('smi-pyridine-bcc-auto-gaff2')]);
  const gro = files.get('ligands/smi-pyridine-bcc-auto-gaff2.gro') ?? '';
  const box = (gro.trimEnd().split('\n').at(-1) ?? '').trim().split(/\s+/).map(Number);
  expect(box).toHaveLength(3);
  for (const edge of box) expect(edge).toBeGreaterThan(2.4);
});

test('a ligand without hydrogens is omitted, and the carbon that shows it is named', () => {
  const { leftOut, files } = exportInMemory('gromacs', recordedMolecules());
  expect(leftOut).toEqual([
    {
      id: 'file-edge_no_hydrogens-gas-auto-gaff2',
      code: 'HYDROGENS_MISSING',
      message: 'hydrogens are missing: its carbon C2 has two neighbours and is bent',
    },
  ]);
  expect([...files.keys()].filter((file) => file.includes('no_hydrogens'))).toEqual([]);
});

test('a ligand with other defaults than the others is omitted', () => {
  const item = recordedMolecule('smi-ethanol-bcc-0-gaff2');
  const top = (item.files['_GMX.top'] ?? '').replace('0.8333333333', '0.5');
  const { leftOut } = exportInMemory('gromacs', [
    { ...item, files: { ...item.files, '_GMX.top': top } },
  ]);
  expect(leftOut).toMatchObject([{ code: 'DEFAULTS_DIFFER' }]);
});
