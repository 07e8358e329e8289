/** Structural formulas, drawn by RDKit and kept as lines and letters. */
import { expect, test } from 'vitest';
import { parseDrawing } from '../../../src/kinds/molecule/rdkit-output.ts';

test('only lines, letters, numbers and colours are taken from an SVG', () => {
  const style = (of: string) => `style='fill:none;stroke:${of};stroke-width:2px'`;
  const { paths, letters } = parseDrawing(
    `<path d='M 1,2 L 3.0,4.5' ${style('#000000')} /><path d='M 1,2" onload="x' ${style('#000000')} />
     <path d='M 1,2' ${style('url(x)')} /><script>M</script><text x='1' y='2'
     style='font-size:9px;fill:#0000FF' >N</text><text x='1' y='2' style='font-size:9px;fill:#0000FF' ><b></text>`,
  );
  expect(paths).toEqual([{ d: 'M1 2L3 4.5', colour: '#000000', line: 2 }]);
  expect(letters).toEqual([{ x: 1, y: 2, size: 9, colour: '#0000FF', text: 'N' }]);
});
