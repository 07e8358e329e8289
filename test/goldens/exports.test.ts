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
} from '../export/recorded.ts';
import { digestOf } from './normalise.ts';

async function describeExport(format: string, items: readonly ExportItem[]) {
  const { files, leftOut, notes } = await exportInMemory(format, items);
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
  const proteins = [...recordedSequences(), ...recordedAlignments()];
  const lines: string[] = [];
  for (const { name, kinds } of FORMATS)
    lines.push(...(await describeExport(name, kinds[0] === 'molecule' ? molecules : proteins)));
  await expect([...lines, ''].join('\n')).toMatchFileSnapshot('exports.txt');
});
