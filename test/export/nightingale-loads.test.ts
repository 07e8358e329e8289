/** Nightingale's components in a real browser draw the tracks of an export, with ten lines of a user's script. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchPublished, NIGHTINGALE } from '../../scripts/viewers.ts';
import { launchBrowser } from '../browser.ts';
import { exportInMemory, sequenceItem } from './recorded.ts';

const viewers = await Promise.all(NIGHTINGALE.map((one) => fetchPublished(one)));
const missing = viewers.map((one) => ('missing' in one ? one.missing : '')).join('');
const PLACE = 'http://export.test';

const IMPORTS = NIGHTINGALE.map(({ name }, index) => [name, `/viewer/${index}/index.js`]);
const PAGE = `<!doctype html>
<script type="importmap">${JSON.stringify({ imports: Object.fromEntries(IMPORTS) as unknown })}</script>
<nightingale-linegraph-track id="graphs" length="20" width="600" height="80"></nightingale-linegraph-track>
<nightingale-track id="regions" length="20" width="600" height="40"></nightingale-track>
<script type="module">
  import '@nightingale-elements/nightingale-linegraph-track';
  import '@nightingale-elements/nightingale-track';
  const { proteins } = await (await fetch('FILE')).json();
  document.getElementById('graphs').data = proteins[0].linegraph;
  document.getElementById('regions').data = proteins[0].features;
  window.given = true;
</script>`;

/** What is drawn: the paths of non-constant lines, and the shapes of features. */
const DRAWN = `(() => {
  const within = (id, what) => [...document.getElementById(id).querySelectorAll(what)];
  return {
    lines: within('graphs', 'path').filter((one) => (one.getAttribute('d') ?? '').length > 50).length,
    regions: within('regions', 'g.feature-group, .feature-group').length,
  };
})()`;

describe.skipIf(missing !== '')(
  `Nightingale${missing === '' ? '' : ` (skipped: ${missing})`}`,
  () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchBrowser();
    }, 120_000);
    afterAll(() => browser.close());

    test('draws a line per predictor and a shape per region', { timeout: 120_000 }, async () => {
      const item = sequenceItem('b2btools/edge/len_20-all5.json');
      const text = exportInMemory('nightingale', [item]).files.get(`${item.id}.json`) ?? '';
      const { proteins } = JSON.parse(text) as {
        readonly proteins: readonly { readonly linegraph: object[]; readonly features: object[] }[];
      };
      const page = await browser.newPage();
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(error.message));
      await page.route(`${PLACE}/**`, async (route) => {
        const path = new URL(route.request().url()).pathname.slice(1);
        if (path === '') {
          const body = PAGE.replace('FILE', `${item.id}.json`);
          return route.fulfill({ contentType: 'text/html', body });
        }
        if (path === `${item.id}.json`) return route.fulfill({ body: text });
        const [, index = '', file = ''] = /^viewer\/(\d)\/(.+)$/.exec(path) ?? [];
        const viewer = viewers[Number(index)];
        if (viewer === undefined || 'missing' in viewer) return route.fulfill({ status: 404 });
        const body = await readFile(join(viewer.folder, file));
        return route.fulfill({ contentType: 'text/javascript', body });
      });
      await page.goto(`${PLACE}/`);
      await page.waitForFunction('window.given === true');
      const [one] = proteins;
      const expected = { lines: one?.linegraph.length, regions: one?.features.length };
      await expect.poll(() => page.evaluate(DRAWN)).toEqual(expected);
      expect(expected.lines).toBeGreaterThan(5);
      expect(expected.regions).toBeGreaterThan(0);
      expect(faults).toEqual([]);
    });
  },
);
