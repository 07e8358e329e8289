/** The library in the process of its caller: a campaign with the embedded server, its control, its errors, its tree. */
import { existsSync, writeFileSync } from 'node:fs';
import { readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import {
  HundredfoldError,
  ManifestRefusedError,
  openTree,
  plan,
  startCampaign,
  watch,
} from 'hundredfold';
import type { BudgetState, CampaignEvent, OutputTree, StartOptions, TreeItem } from 'hundredfold';
import { describe, expect, test } from 'vitest';
import { desk, type Desk } from '../cli/command.ts';
import { fragments, peptides } from '../cli/manifests.ts';
import { rehearse, TOKEN } from '../cli/rehearsal.ts';
import { atMostOneJob, treeIsWhole } from '../promises.ts';
import { WITHOUT_S3, startS3 } from '../s3-server.ts';

/** All files of it are in the desk. */
function options(at: Desk, more: Readonly<Record<string, string>> = {}): StartOptions {
  const environment = {
    HOME: at.folder,
    HUNDREDFOLD_EMBEDDED_DIR: at.embedded,
    HUNDREDFOLD_STATE_DIR: at.path('state'),
    // Of all hosts of these tests: one at a time chooses its ports.
    XDG_RUNTIME_DIR: process.env['XDG_RUNTIME_DIR'],
    ...more,
  };
  return { services: 'local', out: at.path('results'), environment };
}

async function allItems(tree: OutputTree): Promise<TreeItem[]> {
  const items: TreeItem[] = [];
  for await (const item of tree.items()) items.push(item);
  return items;
}

async function refusal(promise: Promise<unknown>): Promise<HundredfoldError> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(HundredfoldError);
  return error as HundredfoldError;
}

describe('plan', () => {
  test('counts rows and jobs, reports problems, and writes nothing', async () => {
    const at = desk();
    const file = at.write('t.csv', 'id,sequence\na,MKTAYIAKQR\nb,MKTAYIAKQR\nshort,M\n');
    const planned = await plan(file, options(at));
    expect(planned).toMatchObject({
      name: 't',
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
    expect(planned.endsAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect([existsSync(at.path('results')), existsSync(at.embedded)]).toEqual([false, false]);
  });
});

describe('startCampaign', () => {
  test('ends its events when the signal is aborted, and resumes with the same call', async () => {
    const at = desk();
    // Many, so that it cannot end before a busy machine sees the first of them.
    const total = 40;
    const ids = fragments(at, 'fragments', total);
    const interrupt = new AbortController();
    const wanted = { ...options(at), signal: interrupt.signal };
    await using first = await startCampaign(at.path('fragments.csv'), wanted);
    const seen: CampaignEvent[] = [];
    for await (const event of first.events()) {
      seen.push(event);
      if (event.type === 'item') interrupt.abort();
    }
    expect(seen.at(-1)?.type).not.toBe('ended');
    expect(await refusal(first.result())).toMatchObject({ code: 'INTERRUPTED', exitCode: 130 });
    await first.close();
    expect(at.servers(), 'the embedded server has stopped').toEqual([]);

    await using second = await startCampaign(at.path('fragments.csv'), options(at));
    let last: CampaignEvent | null = null;
    for await (const event of second.events()) {
      last = event;
      if (event.type !== 'progress') continue;
      expect(event).toMatchObject({ total, obstacle: null });
      expect(event.budgets.map(({ service }) => service)).toContain('molecules');
    }
    const result = { campaign: 'fragments', state: 'completed', submissions: total, damaged: [] };
    expect(last).toMatchObject({ type: 'ended', result: { ...result, out: second.out } });
    await second.close();

    // Nothing is left to do: it ends at once, and no job is submitted.
    await using third = await startCampaign(at.path('fragments.csv'), options(at));
    expect(await third.result()).toMatchObject({ items: { total, succeeded: total } });
    const followed: CampaignEvent[] = [];
    for await (const event of watch('fragments', options(at))) followed.push(event);
    expect(followed.map(({ type }) => type)).toEqual(['ended']);
    await third.close();
    atMostOneJob(at.journal(), ids.length);
    await treeIsWhole(second.out);
  });

  test('pauses and resumes a campaign, with the services of a configuration file', async () => {
    const at = desk();
    const ids = peptides(at, 'peptides', 3);
    const service = await rehearse(at, { limit: 1, seconds: 2 });
    const { services: _, ...remote } = options(at, TOKEN);
    const config = at.path('hundredfold.yaml');
    await using campaign = await startCampaign(at.path('peptides.csv'), { ...remote, config });
    const states: string[] = [];
    let budgets: readonly BudgetState[] = [];
    let paused = false;
    for await (const event of campaign.events()) {
      // One slot every two seconds: two rows wait.
      if (event.type === 'item' && !paused) {
        paused = true;
        await campaign.pause();
      }
      if (event.type !== 'progress') continue;
      states.push(event.state);
      budgets = event.budgets;
      if (event.state === 'paused') await campaign.resume();
    }
    expect(states).toContain('paused');
    expect(states.at(-1)).toBe('completed');
    expect(budgets).toMatchObject([{ service: 'predictions', limit: 1, windowMs: 2_000 }]);
    await campaign.close();
    atMostOneJob(await service.end(), ids.length);
  });

  test('cancels a campaign: its open items are cancelled', async () => {
    const at = desk();
    fragments(at, 'fragments', 8);
    await using campaign = await startCampaign(at.path('fragments.csv'), options(at));
    await campaign.cancel();
    const { state, items } = await campaign.result();
    expect(state).toBe('cancelled');
    expect(items.cancelled).toBeGreaterThan(0);
    expect(items.cancelled + items.succeeded).toBe(8);
  });

  test('refuses a manifest with errors, an aborted signal and a missing service, each with its code', async () => {
    const at = desk();
    const bad = at.write('bad.csv', 'id,sequence\ngood,MKTAYIAKQR\nshort,M\n');
    const good = at.write('good.csv', 'id,sequence\ngood,MKTAYIAKQR\n');
    const refused = await refusal(startCampaign(bad, options(at)));
    expect(refused).toBeInstanceOf(ManifestRefusedError);
    expect(refused).toMatchObject({
      code: 'MANIFEST_REFUSED',
      exitCode: 2,
      problems: [{ line: 3, id: 'short' }],
    });
    const signal = AbortSignal.abort(new Error('enough'));
    const aborted = await refusal(startCampaign(good, { ...options(at), signal }));
    expect(aborted).toMatchObject({ code: 'INTERRUPTED', cause: { message: 'enough' } });
    const { services: _, ...without } = options(at);
    expect((await refusal(startCampaign(good, without))).code).toBe('CONFIG_NO_SERVICE');
    expect(existsSync(at.embedded), 'nothing was started').toBe(false);
  });
});

describe('watch', () => {
  test('reports an unknown campaign', async () => {
    const at = desk();
    const iteration = watch('nothing', options(at)).next();
    expect((await refusal(iteration)).code).toBe('CAMPAIGN_UNKNOWN');
  });
});

describe('openTree', () => {
  test('reads items and tables, and refuses a file that was changed', async () => {
    const at = desk();
    const [first] = fragments(at, 'fragments', 2);
    {
      await using campaign = await startCampaign(at.path('fragments.csv'), options(at));
      await campaign.result();
    }
    const tree = await openTree(at.path('results', 'fragments'));
    expect((await tree.result()).items.succeeded).toBe(2);
    const items = await allItems(tree);
    expect(items.map(({ id, state }) => ({ id, state }))).toContainEqual({
      id: first,
      state: 'succeeded',
    });
    const table = await readFile(tree.tables['molecules.parquet'] ?? '');
    expect(table.subarray(0, 4).toString()).toBe('PAR1');
    expect(await tree.verify()).toEqual([]);

    const top = items[0]?.files.find(({ name }) => name.endsWith('_GMX.top'));
    expect(Buffer.from((await top?.read()) ?? []).toString()).toContain('[ molecules ]');
    await truncate(top?.path ?? '', 10);
    expect((await refusal(top!.read())).code).toBe('STORE_DIGEST_MISMATCH');
    expect((await tree.verify()).join('\n')).toContain(`${top?.name ?? ''} has 10 bytes`);
  });

  test('reports a missing tree', async () => {
    const at = desk();
    expect((await refusal(openTree(at.path('nothing')))).code).toBe('TREE_UNKNOWN');
    expect((await refusal(openTree(at.folder))).code).toBe('STORE_NOT_PREPARED');
  });

  test.skipIf(WITHOUT_S3 !== null)('reads a tree in a bucket', async () => {
    const at = desk();
    fragments(at, 'fragments', 2);
    await using server = await bucket();
    const wanted = options(at, server.environment);
    const out = `s3://${server.name}/results`;
    {
      await using campaign = await startCampaign(at.path('fragments.csv'), { ...wanted, out });
      await campaign.result();
    }
    const tree = await openTree(`${out}/fragments`, wanted);
    const [item] = await allItems(tree);
    expect(item?.path).toMatch(/^s3:\/\/hundredfold\/results\/fragments\/molecules\//);
    for (const file of item?.files ?? []) expect((await file.read()).byteLength).toBe(file.bytes);
    expect(tree.tables['molecules.csv']).toBe(`${out}/fragments/tables/molecules.csv`);
    writeFileSync(join(server.folder, 'results/fragments/items.csv'), 'x');
    expect((await tree.verify()).length).toBeGreaterThan(0);
  });
});

async function bucket() {
  const server = await startS3();
  // The AWS SDK reads its credentials from the environment of the process.
  Object.assign(process.env, server.environment);
  return {
    name: server.bucket,
    folder: server.folder,
    environment: {
      ...server.environment,
      HUNDREDFOLD_STORE_ENDPOINT: server.access.endpoint,
      HUNDREDFOLD_STORE_REGION: server.access.region,
      HUNDREDFOLD_STORE_PATH_STYLE: 'true',
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
