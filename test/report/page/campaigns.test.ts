/** Reports of campaigns that are hostile, empty or large, and what they say about the rolling window. */
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeFinishedTree } from '../../../bench/finished-tree.ts';
import { readCampaignItems } from '../../../src/store/campaign-items.ts';
import { readPagePieces } from '../../../src/report/page/html.ts';
import { ReportPage } from '../../../src/report/page/report-page.ts';
import { deriveFiles, publishCampaign } from '../../../src/report/publish.ts';
import { DerivedFiles } from '../../../src/report/writer.ts';
import { writeInvalidRows, readPreparedCampaign } from '../../../src/store/prepared-campaign.ts';
import { writeItem } from '../../../src/store/item-store.ts';
import { httpServer } from '../../services/scripted-server.ts';
import { aMolecule } from '../../store/an-item.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';
import { END, FAILED, endedCampaign } from '../a-campaign.ts';
import { errors, expectAccessible, opened, requests } from './opened.ts';

const HOSTILE = `</script><!--<img src=x onerror="document.title='taken'">{{7*7}}\u2028`;

async function* invalid(id: string) {
  yield {
    id,
    kind: null,
    source: { file: HOSTILE, line: 2 },
    row: { [HOSTILE]: HOSTILE },
    code: 'MANIFEST_ID',
    message: HOSTILE,
  };
}

test('a hostile name is shown literally, and has no other effect', async () => {
  const { store, end } = await writeFinishedTree(await temporaryFolder(), 2);
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) throw new Error('not prepared');
  const ids = [HOSTILE];
  for await (const { id, record } of readCampaignItems(store, campaign)) {
    ids.push(id);
    if (record === null) continue;
    const { names } = record.input;
    const hostile = names && Object.fromEntries(Object.keys(names).map((name) => [name, HOSTILE]));
    const attempt = { at: END.startedAt, outcome: 'unavailable', message: HOSTILE } as const;
    await writeItem(store, {
      ...record,
      title: HOSTILE,
      user: { [HOSTILE]: HOSTILE },
      source: { file: HOSTILE, line: 1 },
      attempts: [...record.attempts, attempt],
      // One of each kind keeps its result, the other shows the message.
      ...(id.endsWith('0') && { state: 'failed', error: { code: HOSTILE, message: HOSTILE } }),
      input: { ...record.input, ...(hostile && { names: hostile }) },
    });
  }
  await writeInvalidRows(store, invalid(HOSTILE));
  await publishCampaign(store, end);
  const page = await opened(store.location);
  for (const id of ['', ...ids]) {
    const hash = id === '' ? '' : new URLSearchParams({ item: id }).toString();
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    if (id !== '') await expect.poll(() => page.locator('h1').textContent()).toContain(id);
    await page.locator('h2').first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).not.toBe('taken');
    expect(await page.locator('body').textContent()).toContain('onerror=');
  }
});

test('the page cannot connect to anything, whatever runs in it', async () => {
  const store = await endedCampaign([]);
  await publishCampaign(store, END);
  const server = await httpServer((_, response) => response.end());
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { port } = server;
  const page = await opened(store.location);
  const outcome = await page.evaluate<string>(`
    Promise.all([
      fetch('http://127.0.0.1:${port}/').then(() => 'fetched', () => 'refused'),
      new Promise((resolve) => {
        const image = new Image();
        image.onload = () => resolve('loaded');
        image.onerror = () => resolve('refused');
        image.src = 'http://127.0.0.1:${port}/x.png';
      }),
      new Promise((resolve) => {
        const script = document.createElement('script');
        script.textContent = 'window.ran = true';
        document.head.append(script);
        setTimeout(() => resolve(window.ran ? 'ran' : 'refused'), 50);
      }),
    ]).then((all) => all.join(' '))`);
  expect(outcome).toBe('refused refused refused');
  expect(server.requests).toEqual([]);
  errors.splice(0);
  requests.splice(0);
});

test('a campaign without items, and one without a successful item, have a page', async () => {
  for (const count of [0, 2]) {
    const items = ['a', 'b'].slice(0, count).map((id) => aMolecule(id));
    const store = await endedCampaign(items, { a: FAILED, b: FAILED });
    await publishCampaign(store, END);
    const page = await opened(store.location);
    const said = await page.locator('.headline').innerText();
    expect(said).toBe(`0 of ${count} items succeeded`);
    if (count === 0) continue;
    await page.locator('.cards a').first().click();
    await page.getByText('What to do:').waitFor();
  }
});

test('the page of a campaign that still runs says how far it has come', async () => {
  const items = ['a', 'b', 'c'].map((id) => aMolecule(id));
  const store = await endedCampaign(items, {
    a: FAILED,
    c: { state: 'running', finishedAt: null },
  });
  await publishCampaign(store, { ...END, state: 'running', endedAt: null });
  const page = await opened(store.location);
  expect(await page.locator('.so-far').innerText()).toMatch(/^So far: 2 of 3 items\./);
  await expectAccessible(page);
});

test('data that do not fit into the page are stored beside it, with a message', async () => {
  const { store, end } = await writeFinishedTree(await temporaryFolder(), 4);
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) throw new Error('not prepared');
  const pieces = await readPagePieces();
  await deriveFiles(store, campaign, end, {
    files: new DerivedFiles(store),
    openWriters: (files) => [new ReportPage(store, files, pieces, 0)],
    former: null,
    draws: true,
  });

  const page = await opened(store.location);
  expect(requests).toEqual([]);
  await page.locator('.cards a').first().click();
  await page.locator('.files').waitFor();
  // Those of the rows that are near, for their formulas, and that of the item.
  const loaded = requests
    .splice(0)
    .map((url) => /^file:.*\/report-data\/(\d+)\.js$/.exec(url)?.[1]);
  expect(loaded).toContain('00000');
  expect(loaded).not.toContain(undefined);
  expect(errors).toEqual([]);

  await mkdir(join(store.location, 'moved'));
  await rename(join(store.location, 'report-data'), join(store.location, 'moved', 'report-data'));
  const moved = await opened(store.location);
  await moved.locator('.cards a').first().click();
  await moved.getByText('put it back').waitFor();
  errors.splice(0);
  requests.splice(0);
});
