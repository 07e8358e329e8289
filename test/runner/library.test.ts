/** The library in the process of its caller: a campaign with the embedded server, its control, its errors, its tree. */
import { existsSync } from 'node:fs';
import { cp, readFile, truncate } from 'node:fs/promises';
import {
  cancel,
  HundredfoldError,
  ManifestRefusedError,
  openTree,
  pause,
  plan,
  pull,
  resume,
  retry,
  startCampaign,
  watch,
} from 'hundredfold';
import type { BudgetStatus, CampaignEvent, StartOptions } from 'hundredfold';
import { expect, test } from 'vitest';
import { desk, type Desk } from '../cli/command.ts';
import { fragments, peptides } from '../cli/manifests.ts';
import { rehearse, TOKEN } from '../cli/rehearsal.ts';

/** All files of it are in the desk. */
function options(at: Desk, more: Readonly<Record<string, string>> = {}) {
  const environment = {
    HOME: at.folder,
    HUNDREDFOLD_EMBEDDED_DIR: at.embedded,
    HUNDREDFOLD_STATE_DIR: at.path('state'),
    ...more,
  };
  return { out: at.path('results'), environment };
}

const local = (...given: Parameters<typeof options>): StartOptions => ({
  ...options(...given),
  services: 'local',
});

async function refusal(promise: Promise<unknown>): Promise<HundredfoldError> {
  const error = await promise.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(HundredfoldError);
  return error as HundredfoldError;
}

test('plan counts rows and jobs, reports problems, and writes nothing; what cannot run is refused with its code', async () => {
  const at = desk();
  const wanted = local(at);
  const bad = at.write('t.csv', 'id,sequence\na,MKTAYIAKQR\nb,MKTAYIAKQR\nshort,M\n');
  const planned = await plan(bad, wanted);
  expect(planned).toMatchObject({
    campaign: 't',
    out: at.path('results', 't'),
    rows: 3,
    kinds: { sequence: 3 },
    errors: 1,
    duplicates: 1,
    submissions: 1,
    chargesUnknown: false,
    services: [{ service: 'predictions', jobs: 1 }],
    problems: [{ severity: 'error', line: 4, id: 'short' }],
  });

  const refused = await refusal(startCampaign(bad, wanted));
  expect(refused).toBeInstanceOf(ManifestRefusedError);
  const problems = [{ line: 4, id: 'short' }];
  expect(refused).toMatchObject({ code: 'MANIFEST_REFUSED', exitCode: 2, problems });
  const good = at.write('good.csv', 'id,sequence\ngood,MKTAYIAKQR\n');
  const signal = AbortSignal.abort(new Error('enough'));
  const aborted = await refusal(startCampaign(good, { ...wanted, signal }));
  expect(aborted).toMatchObject({ code: 'INTERRUPTED', cause: { message: 'enough' } });
  expect((await refusal(startCampaign(good, options(at)))).code).toBe('CONFIG_NO_SERVICE');
  expect((await refusal(openTree(at.path('nothing')))).code).toBe('CAMPAIGN_UNKNOWN');
  expect((await refusal(openTree(at.folder))).code).toBe('STORE_NOT_PREPARED');
  expect([existsSync(at.path('results')), existsSync(at.embedded)]).toEqual([false, false]);
});

test('a campaign ends its events when the signal is aborted, resumes with the same call, and its tree is read and copied', async () => {
  const at = desk();
  // Many, so that it cannot end before a busy machine sees the first of them.
  const total = 24;
  const ids = fragments(at, 'fragments', total);
  const manifest = at.path('fragments.csv');
  const interrupt = new AbortController();
  await using first = await startCampaign(manifest, { ...local(at), signal: interrupt.signal });
  const seen: CampaignEvent[] = [];
  for await (const event of first.events()) {
    seen.push(event);
    if (event.type === 'item') interrupt.abort();
  }
  expect(seen.at(-1)?.type).not.toBe('ended');
  expect(await refusal(first.result())).toMatchObject({ code: 'INTERRUPTED', exitCode: 130 });
  await first.close();
  expect(at.servers(), 'the embedded server has stopped').toEqual([]);

  await using second = await startCampaign(manifest, local(at));
  let last: CampaignEvent | null = null;
  for await (const event of second.events()) {
    last = event;
    if (event.type !== 'progress') continue;
    expect(event).toMatchObject({ progress: { total }, obstacle: null });
    expect(event.budgets.map(({ service }) => service)).toContain('molecules');
  }
  const result = { campaign: 'fragments', state: 'completed', submissions: total, damaged: [] };
  expect(last).toMatchObject({ type: 'ended', result: { ...result, out: second.out } });
  const followed = await Array.fromAsync(watch('fragments', local(at)));
  expect(followed.map(({ type }) => type)).toEqual(['ended']);
  const nobody = watch('nothing', local(at)).next();
  expect((await refusal(nobody)).code).toBe('CAMPAIGN_UNKNOWN');
  await second.close();

  // Copied, as from a store, whole or in part.
  at.write('hundredfold.yaml', `store: { url: "${at.path('results')}" }\n`);
  const config = at.path('hundredfold.yaml');
  const to = (folder: string) => ({ ...options(at), config, out: at.path(folder) });
  expect((await refusal(pull('fragments', to('results')))).code).toBe('PULL_REFUSED');
  await cp(at.path('results'), at.path('tree'), { recursive: true });
  expect((await refusal(pull('fragments', to('tree')))).code).toBe('PULL_REFUSED');
  const part = await pull('fragments', { ...to('copy'), selection: ({ id }) => id === ids[0] });
  expect(existsSync(at.path('copy', 'fragments', 'items.csv'))).toBe(false);
  const whole = await pull('fragments', to('copy'));
  expect(whole).toMatchObject({ kept: part.files, faults: [] });
  expect(part.copied).toBeLessThan(whole.files);

  const tree = await openTree(at.damages('copy', 'fragments'));
  expect((await tree.result()).items.succeeded).toBe(total);
  const items = await Array.fromAsync(tree.items());
  expect(items.map(({ id }) => id)).toEqual(ids);
  const table = await readFile(tree.tables['molecules.parquet'] ?? '');
  expect(table.subarray(0, 4).toString()).toBe('PAR1');
  expect((await tree.verify()).faults).toEqual([]);
  const top = items[0]?.files.find(({ name }) => name.endsWith('_GMX.top'));
  if (!top) throw new Error('there is no topology');
  expect(Buffer.from(await top.read()).toString()).toContain('[ molecules ]');
  await truncate(top.path, 10);
  expect((await refusal(top.read())).code).toBe('STORE_DIGEST_MISMATCH');
  const cut = expect.stringContaining(`${top.name} has 10 bytes`) as string;
  expect((await tree.verify()).faults).toContainEqual(expect.objectContaining({ message: cut }));
});

test('a campaign is paused, resumed and cancelled, by its object or its name; retry runs its cancelled items', async () => {
  const at = desk();
  peptides(at, 'peptides', 4);
  // One slot every two seconds: three rows wait.
  await rehearse(at, { limit: 1, seconds: 2 });
  const own = { ...options(at, TOKEN), config: at.path('hundredfold.yaml') };
  const states: string[] = [];
  {
    await using campaign = await startCampaign(at.path('peptides.csv'), own);
    let budgets: readonly BudgetStatus[] = [];
    let done = 0;
    for await (const event of campaign.events()) {
      if (event.type === 'item' && (done += 1) === 1) await campaign.pause();
      if (event.type === 'item' && done === 2) {
        expect(await pause('peptides', own)).toBe(true);
        expect(await cancel('peptides', own)).toBe(true);
      }
      if (event.type !== 'progress') continue;
      const { state } = event.progress;
      states.push(state);
      budgets = event.budgets;
      if (state === 'paused' && done === 1) expect(await resume('peptides', own)).toBe(true);
    }
    expect(states).toContain('paused');
    expect(states.at(-1)).toBe('cancelled');
    expect(budgets).toMatchObject([
      { service: 'predictions', windows: [{ limit: 1, windowMs: 2_000 }] },
    ]);
    const { items } = await campaign.result();
    expect(items.cancelled).toBeGreaterThan(0);
    expect(items.cancelled + items.succeeded).toBe(4);
  }
  expect(await pause('peptides', own), 'an ended campaign').toBe(false);
  expect((await refusal(cancel('none', own))).code).toBe('CAMPAIGN_UNKNOWN');
  const wrong = await refusal(retry('peptides', { ...own, items: ['none'] }));
  expect(wrong.code).toBe('ITEM_NOT_RETRYABLE');
  await using again = await retry('peptides', own);
  expect(await again.result()).toMatchObject({ state: 'completed', items: { succeeded: 4 } });
  await again.close();
});
