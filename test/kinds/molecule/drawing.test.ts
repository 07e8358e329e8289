/** Structural formulas, drawn by RDKit and kept as lines and letters. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { drawingOf } from '../../../src/kinds/molecule/drawing.ts';
import { mol2Table } from '../../../src/kinds/molecule/mol2.ts';
import { chemist } from '../../../src/kinds/molecule/rdkit.ts';

test('only lines, letters, numbers and colours are taken from an SVG', () => {
  const style = (of: string) => `style='fill:none;stroke:${of};stroke-width:2px'`;
  const { paths, letters } = drawingOf(
    `<path d='M 1,2 L 3.0,4.5' ${style('#000000')} /><path d='M 1,2" onload="x' ${style('#000000')} />
     <path d='M 1,2' ${style('url(x)')} /><script>M</script><text x='1' y='2'
     style='font-size:9px;fill:#0000FF' >N</text><text x='1' y='2' style='font-size:9px;fill:#0000FF' ><b></text>`,
  );
  expect(paths).toEqual([{ d: 'M1 2L3 4.5', colour: '#000000', line: 2 }]);
  expect(letters).toEqual([{ x: 1, y: 2, size: 9, colour: '#0000FF', text: 'N' }]);
});

test('a Mol2 file is drawn with its own bonds, and with the charges derived from them', async () => {
  const text = await readFile('batches/demo/files/uracil.mol2', 'utf8');
  const found = await chemist.draw(mol2Table(text) ?? '');
  if (found.type !== 'drawn') throw new Error(found.reason);
  const letters = found.drawing.letters.map(({ text: letter }) => letter);
  expect(letters.sort()).toEqual(['H', 'H', 'N', 'N', 'O', 'O']);

  const ammonium = ['N', 'H', 'H', 'H', 'H'].map((type, n) => `${n + 1} A 0 0 0 ${type}`);
  const bonds = [2, 3, 4, 5].map((h) => ` ${h} 1 ${h} 1`).join('\n');
  const sections = ['MOLECULE', 'ATOM', ...ammonium, 'BOND', bonds].join('\n');
  const mol2 = sections.replace(/^(?=[A-Z]{4})/gm, '@<TRIPOS>');
  expect(mol2Table(mol2)).toContain('M  CHG  1   1   1');
});
