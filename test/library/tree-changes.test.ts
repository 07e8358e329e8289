/** The functions of the library that control, retry and copy a campaign by its name. */
import { cancel, HundredfoldError, pause, pull, resume, retry, startCampaign } from 'hundredfold';
import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { expect, test } from 'vitest';
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

test('pull copies a tree of the store, or some of its items, to a folder', async () => {
  const at = desk();
  const [first = ''] = fragments(at, 'fragments', 2);
  const { environment } = options(at);
  {
    const own = { environment, out: at.path('store'), services: 'local' } as const;
    await using campaign = await startCampaign(at.path('fragments.csv'), own);
    await campaign.result();
  }
  at.write('hundredfold.yaml', `store: { url: "${at.path('store')}" }\n`);
  const where = { environment, config: at.path('hundredfold.yaml'), out: at.path('results') };
  const same = { ...where, out: at.path('store') };
  await expect(pull('fragments', same)).rejects.toEqual(refusedWith('TRANSFER_SAME_PLACE'));
  await cp(at.path('store'), at.path('tree'), { recursive: true });
  const into = { ...where, out: at.path('tree') };
  await expect(pull('fragments', into)).rejects.toEqual(refusedWith('PULL_INTO_TREE'));
  const part = await pull('fragments', { ...where, items: [first] });
  expect(existsSync(at.path('results', 'fragments', 'items.csv'))).toBe(false);
  const whole = await pull('fragments', where);
  expect(whole).toMatchObject({ kept: part.files, faults: [] });
  expect(part.copied).toBeLessThan(whole.files);
  await treeIsWhole(at.path('results', 'fragments'));
});
