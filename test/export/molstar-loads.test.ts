/** Mol* in a real browser loads the scene with the structure beside it, and draws it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchPublished, MOLSTAR } from '../../scripts/viewers.ts';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../browser.ts';
import { madeStructure } from './made-structure.ts';
import { exportInMemory, sequenceItem } from './recorded.ts';

const viewer = await fetchPublished(MOLSTAR);
const missing = 'missing' in viewer ? viewer.missing : '';
const PLACE = 'http://export.test';

const PAGE = `<!doctype html><link rel="stylesheet" href="viewer/molstar.css">
<div id="app" style="position:absolute;width:400px;height:300px"></div>
<script src="viewer/molstar.js"></script>`;

/** The script of the page: ten lines, as a user writes them. */
const LOAD = `(async () => {
  const viewer = await molstar.Viewer.create('app', { layoutIsExpanded: false });
  await viewer.loadMvsFromUrl(new URL('SCENE', location.href).href, 'mvsj');
  const structures = viewer.plugin.managers.structure.hierarchy.current.structures;
  const cells = [...viewer.plugin.state.data.cells.values()];
  return {
    atoms: structures.map((one) => one.cell.obj.data.elementCount),
    representations: structures.flatMap((one) => one.components).flatMap((one) => one.representations).length,
    faults: cells.filter((one) => one.status === 'error').map((one) => one.errorText),
    themes: cells.map((one) => one.transform.params?.colorTheme?.name).filter((one) => one),
  };
})()`;

describe.skipIf(missing !== '')(`Mol*${missing === '' ? '' : ` (skipped: ${missing})`}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  }, 120_000);
  afterAll(() => browser.close());

  test('draws a scene of the export', { timeout: 180_000 }, async () => {
    if ('missing' in viewer) throw new Error(viewer.missing);
    const plain = sequenceItem('b2btools/edge/len_20-all5.json');
    const sequence =
      plain.reading?.kind === 'sequence' ? (plain.reading.proteins[0]?.residues ?? '') : '';
    const item = { ...plain, structure: { name: 'one.pdb', text: madeStructure(sequence) } };
    const { files } = exportInMemory('molviewspec', [item]);
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    await page.route(`${PLACE}/**`, async (route) => {
      const path = new URL(route.request().url()).pathname.slice(1);
      const own = files.get(path);
      if (path === '') return route.fulfill({ contentType: 'text/html', body: PAGE });
      if (own !== undefined) return route.fulfill({ body: own });
      if (!path.startsWith('viewer/')) return route.fulfill({ status: 404, body: '' });
      const body = await readFile(join(viewer.folder, path.slice('viewer/'.length)));
      const contentType = path.endsWith('.css') ? 'text/css' : 'text/javascript';
      return route.fulfill({ contentType, body });
    });
    await page.goto(`${PLACE}/`);
    const found = await page.evaluate(LOAD.replace('SCENE', `${item.id}.mvsj`));
    expect(faults).toEqual([]);
    // Four atoms per residue, and the water.
    expect(found).toMatchObject({ atoms: [4 * sequence.length + 1], faults: [] });
    expect((found as { readonly themes: readonly string[] }).themes).toContain('mvs-multilayer');
    expect((found as { readonly representations: number }).representations).toBeGreaterThan(0);
  });
});
