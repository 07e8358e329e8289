/** The functions of the library that control, retry, adopt and copy a campaign by its name. */
import {
  adopt,
  cancel,
  HundredfoldError,
  openTree,
  pause,
  pull,
  push,
  resume,
  retry,
  startCampaign,
} from 'hundredfold';
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { BrowserJobs } from '../browser-jobs.ts';
import { desk, type Desk } from '../cli/command.ts';
import { fragments, peptides } from '../cli/manifests.ts';
import { rehearse, TOKEN } from '../cli/rehearsal.ts';
import { atMostOneJob, treeIsWhole } from '../promises.ts';

/** All files of it are in the desk. */
function options(at: Desk) {
  const environment = {
    HOME: at.folder,
    HUNDREDFOLD_EMBEDDED_DIR: at.embedded,
    HUNDREDFOLD_STATE_DIR: at.path('state'),
    ...TOKEN,
  };
  return { out: at.path('results'), config: at.path('hundredfold.yaml'), environment };
}

const refusedWith = (code: string): unknown => expect.objectContaining({ code });

test('pause, resume and cancel control a campaign by its name; retry runs its cancelled items', async () => {
  const at = desk();
  const ids = peptides(at, 'peptides', 4);
  const service = await rehearse(at, { limit: 1, seconds: 2 });
  const own = options(at);
  {
    await using campaign = await startCampaign(at.path('peptides.csv'), own);
    const states: string[] = [];
    let done = 0;
    for await (const event of campaign.events()) {
      // One slot every two seconds: three rows wait.
      if (event.type === 'item' && (done += 1) === 1)
        expect(await pause('peptides', own)).toBe(true);
      if (event.type === 'item' && done === 2) expect(await cancel('peptides', own)).toBe(true);
      if (event.type !== 'progress') continue;
      states.push(event.state);
      if (event.state === 'paused') expect(await resume('peptides', own)).toBe(true);
    }
    expect(states).toContain('paused');
    expect(states.at(-1)).toBe('cancelled');
    const { items } = await campaign.result();
    expect(items.cancelled).toBeGreaterThan(0);
  }
  expect(await pause('peptides', own), 'an ended campaign').toBe(false);
  await expect(cancel('none', own)).rejects.toEqual(refusedWith('CAMPAIGN_UNKNOWN'));

  const wrong = retry('peptides', { ...own, items: ['none'] });
  await expect(wrong).rejects.toBeInstanceOf(HundredfoldError);
  await using again = await retry('peptides', own);
  expect(await again.result()).toMatchObject({ state: 'completed', items: { succeeded: 4 } });
  await again.close();
  await treeIsWhole(again.out);
  atMostOneJob(await service.end(), ids.length);
});

test('adopt fetches a job that was submitted in a browser, and submits nothing', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 100, seconds: 3_600 });
  const jobs = new BrowserJobs(
    { url: service.url, moleculesUrl: '' },
    TOKEN.HUNDREDFOLD_PREDICTION_TOKEN,
  );
  const id = await jobs.sequence('MKTAYIAKQR', 'dynamine', { job_name: 'from the web' });
  const own = options(at);
  await expect(adopt('predictions', [], own)).rejects.toEqual(refusedWith('ADOPT_NOTHING_NAMED'));
  await using campaign = await adopt('predictions', 'past', own);
  expect(await campaign?.result()).toMatchObject({ submissions: 0, items: { succeeded: 1 } });
  await campaign?.close();
  const tree = await openTree(campaign?.out ?? '');
  for await (const item of tree.items()) expect(item.remoteId).toBe(id);
  expect(await adopt('predictions', 'past', { ...own, name: 'other' })).toBeNull();
  expect(await service.end()).toHaveLength(1);
});

test('push copies a tree to the store, and pull copies it, or some of its items, back', async () => {
  const at = desk();
  const [first = ''] = fragments(at, 'fragments', 2);
  const { environment } = options(at);
  {
    const own = { environment, out: at.path('results'), services: 'local' } as const;
    await using campaign = await startCampaign(at.path('fragments.csv'), own);
    await campaign.result();
  }
  at.write('hundredfold.yaml', `store: { url: "${at.path('store')}" }\n`);
  const where = { environment, config: at.path('hundredfold.yaml'), out: at.path('results') };
  const pushed = await push('fragments', where);
  expect(pushed).toMatchObject({ to: at.path('store', 'fragments'), kept: 0, faults: [] });
  expect(await push('fragments', where)).toMatchObject({ copied: 0, kept: pushed.files });
  await expect(pull('fragments', where)).rejects.toEqual(refusedWith('PULL_INTO_TREE'));
  await rename(at.path('results'), at.path('former'));
  const part = await pull('fragments', { ...where, items: [first] });
  expect(part.copied).toBeLessThan(pushed.files);
  expect(existsSync(at.path('results', 'fragments', 'items.csv'))).toBe(false);
  expect(await pull('fragments', where)).toMatchObject({ files: pushed.files, faults: [] });
  await treeIsWhole(at.path('results', 'fragments'));
});
