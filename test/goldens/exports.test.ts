/**
 * The files of every export format, made from all recordings of the engines: `exports.txt` has bytes and digest by item
 * (of a file that many items share: by file), and what was left out or remarked. That the programs load these files is
 * tested in test/export/*-loads.test.ts. A changed line needs a sentence in its commit.
 */
import { expect, test } from 'vitest';
import { FORMATS } from '../../src/export/export.ts';
import type { ExportItem } from '../../src/export/format.ts';
import {
  exportInMemory,
  recordedAlignments,
  recordedMolecules,
  recordedSequences,
  withBonds,
} from '../export/recorded.ts';
import { digestOf } from './normalise.ts';

function describeExport(format: string, items: readonly ExportItem[]): readonly string[] {
  const { files, leftOut, notes } = exportInMemory(format, items);
  // ligands/aspirin.itp, ligands/aspirin.gro and so on are one line.
  const groups = Map.groupBy([...files], ([name]) => name.replace(/(?<=\/)([^./]+)\..*$/, '$1.*'));
  return [
    format,
    ...[...groups].map(([name, parts]) => {
      const text = parts.map(([, content]) => content).join('');
      return `  ${name} ${Buffer.byteLength(text)} ${digestOf(text)}`;
    }),
    ...leftOut.map((one) => `  left out: ${Object.values(one).join(' | ')}`),
    ...notes.map(({ id, message }) => `  note: ${id} | ${message}`),
  ];
}

test('every format writes the files of exports.txt', async () => {
  const molecules = recordedMolecules();
  const bonded = await withBonds(molecules);
  const proteins = [...recordedSequences(), ...recordedAlignments()];
  const lines = FORMATS.flatMap(({ name }) => {
    if (['gromacs', 'openmm'].includes(name)) return describeExport(name, molecules);
    const isOfMolecules = ['sdf', 'smi'].includes(name);
    return describeExport(name, isOfMolecules ? bonded.items : proteins);
  });
  const without = bonded.leftOut.map((one) => `  left out: ${Object.values(one).join(' | ')}`);
  const text = ['without bond orders', ...without, ...lines, ''].join('\n');
  await expect(text).toMatchFileSnapshot('exports.txt');
});
