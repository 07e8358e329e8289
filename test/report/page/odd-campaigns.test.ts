/** Reports of campaigns that are hostile, without results, small or large. */
import { once } from 'node:events';
import { mkdir, rename } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { writeFinishedTree } from '../../../bench/finished-tree.ts';
import { campaignItems } from '../../../src/report/campaign-items.ts';
import { SummaryTally } from '../../../src/report/campaign-summary.ts';
import { ReportPage } from '../../../src/report/page/report-page.ts';
import { publishCampaign } from '../../../src/report/publish.ts';
import { passParts } from '../../../src/report/result-pass.ts';
import { OwnColumns } from '../../../src/report/tables/result-rows.ts';
import { writeInvalidRows } from '../../../src/store/invalid-rows.ts';
import type { ItemRecord } from '../../../src/store/item-record.ts';
import { writeItem } from '../../../src/store/item-store.ts';
import { readPreparedCampaign } from '../../../src/store/prepared-campaign.ts';
import type { Store } from '../../../src/store/store.ts';
import { launchBrowser } from '../../browser.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';
import { END, FAILED, endedCampaign } from '../a-campaign.ts';
import { opened } from './opened.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

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

async function changeEach(store: Store, change: (record: ItemRecord) => ItemRecord) {
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) throw new Error('not prepared');
  for await (const { record } of campaignItems(store, campaign)) {
    if (record !== null) await writeItem(store, change(record));
  }
  return campaign;
}

test('a hostile name is shown literally, and has no other effect', async () => {
  const folder = await temporaryFolder();
  const { store, end } = await writeFinishedTree(folder, 2);
  const campaign = await changeEach(store, (record) => ({
    ...record,
    title: HOSTILE,
    user: { [HOSTILE]: HOSTILE },
    source: { file: HOSTILE, line: 1 },
    attempts: [...record.attempts, { at: END.startedAt, outcome: 'unavailable', message: HOSTILE }],
    // One of each kind keeps its result, the other shows the message.
    ...(/0$/.test(record.id) && { state: 'failed', error: { code: HOSTILE, message: HOSTILE } }),
    input: {
      ...record.input,
      ...(record.input.names && {
        names: Object.fromEntries(Object.keys(record.input.names).map((id) => [id, HOSTILE])),
      }),
    },
  }));
  await writeInvalidRows(store, invalid(HOSTILE));
  await publishCampaign(store, end);
  const ids = [HOSTILE];
  for await (const { id } of campaignItems(store, campaign)) ids.push(id);
  for (const hash of ['', ...ids.map((id) => `#${new URLSearchParams({ item: id }).toString()}`)]) {
    const { page, errors, requests } = await opened(browser, folder, hash);
    await page.locator('h2').first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).not.toBe('taken');
    expect(await page.locator('body').textContent()).toContain('onerror=');
    expect(errors).toEqual([]);
    expect(requests).toEqual([]);
    await page.context().close();
  }
});

test('the page cannot connect to anything, whatever runs in it', async () => {
  const store = await endedCampaign([]);
  await publishCampaign(store, END);
  let arrived = 0;
  const server = createServer((_, answer) => {
    arrived += 1;
    answer.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { page } = await opened(browser, store.location);
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
  expect(arrived).toBe(0);
});

test('a campaign without items, and one without a successful item, have a page', async () => {
  const empty = await endedCampaign([]);
  await publishCampaign(empty, END);
  const none = await opened(browser, empty.location);
  expect(await none.page.locator('.headline').innerText()).toBe('0 of 0 items succeeded');
  expect(none.errors).toEqual([]);

  const { store, end } = await writeFinishedTree(await temporaryFolder(), 3);
  await changeEach(store, (record) => ({
    ...record,
    state: 'failed',
    error: FAILED.error ?? null,
  }));
  await publishCampaign(store, end);
  const failed = await opened(browser, store.location);
  expect(await failed.page.locator('.headline').innerText()).toBe('0 of 12 items succeeded');
  await failed.page.locator('.cards a').first().click();
  await failed.page.getByText('What to do:').waitFor();
  expect(failed.errors).toEqual([]);
});

test('data that do not fit into the page are stored beside it, with a message', async () => {
  const folder = await temporaryFolder();
  const { store, end } = await writeFinishedTree(folder, 20);
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) throw new Error('not prepared');
  const report = await ReportPage.open(store, { mostEmbedded: 0 });
  const source = {
    store,
    items: campaignItems(store, campaign),
    own: new OwnColumns().byKind,
  };
  await passParts(source, [report], () => undefined);
  await report.write(new SummaryTally().summary(campaign, end, []));

  const { page, errors, requests } = await opened(browser, folder);
  expect(requests).toEqual([]);
  await page.locator('.cards a').first().click();
  await page.locator('.files').waitFor();
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatch(/^file:.*\/report-data\/00000\.js$/);
  expect(errors).toEqual([]);

  await mkdir(join(folder, 'moved'));
  await rename(join(folder, 'report-data'), join(folder, 'moved', 'report-data'));
  const moved = await opened(browser, folder);
  await moved.page.locator('.cards a').first().click();
  await moved.page.getByText('put it back').waitFor();
});
