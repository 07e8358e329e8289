/** The ligand library for GROMACS: what is merged, renamed and reported. */
import { expect, test } from 'vitest';
import { AtomTypes, type AtomTypeLine } from '../../src/export/gromacs/atom-types.ts';
import { exportInMemory, recordedMolecule } from './recorded.ts';

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

test('a ligand with other defaults than the others is omitted', () => {
  const item = recordedMolecule('smi-ethanol-bcc-0-gaff2');
  const top = (item.files['_GMX.top'] ?? '').replace('0.8333333333', '0.5');
  const { leftOut } = exportInMemory('gromacs', [
    { ...item, files: { ...item.files, '_GMX.top': top } },
  ]);
  expect(leftOut).toMatchObject([{ code: 'DEFAULTS_DIFFER' }]);
});
