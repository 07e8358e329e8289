/** `adopt`, against a service with jobs that were submitted by other means. */
import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BrowserJobs } from '../browser-jobs.ts';
import { itemsTable, noItemLost, noSecret, treeIsWhole } from '../promises.ts';
import { desk, type Desk, type Ended } from './command.ts';
import { rehearse, TOKEN, type Rehearsal } from './rehearsal.ts';

const PREDICTION_TOKEN = TOKEN.HUNDREDFOLD_PREDICTION_TOKEN;
const env = { ...TOKEN, HUNDREDFOLD_MOLECULE_TOKEN: 'moleculeT0' };
const ALIGNMENT = '>a\nMKTAYIAKQR\n>b\nMKTAY-AKQR\n';
const DATE = /^adopted-predictions-\d{4}-\d\d-\d\d$/;

interface Scene {
  readonly at: Desk;
  readonly service: Rehearsal;
  readonly browser: BrowserJobs;
  readonly runs: (code: number, ...words: string[]) => Promise<Ended>;
}

async function scene(): Promise<Scene> {
  const at = desk();
  const service = await rehearse(at, { limit: 100, seconds: 3600 });
  const url = /url: "([^"]+)"/.exec(readFileSync(at.path('hundredfold.yaml'), 'utf8'))?.[1] ?? '';
  const both = `services:\n  molecules: { url: "${url}/acpype" }\n  predictions: { url: "${url}" }\n`;
  at.write('hundredfold.yaml', both);
  const browser = new BrowserJobs({ url, moleculesUrl: `${url}/acpype` }, PREDICTION_TOKEN);
  return { at, service, browser, runs: (code, ...words) => at.runs(code, words, { env }) };
}

const documentOf = ({ stdout }: Ended) => JSON.parse(stdout) as Record<string, unknown>;
const adoptedIn = (at: Desk) => readdirSync(at.path('results')).filter((name) => DATE.test(name));

test('adopt --past takes over the jobs submitted in a browser, once, and submits nothing', async () => {
  const { at, service, browser, runs } = await scene();
  const jobs = [
    await browser.sequence('MKTAYIAKQR', 'dynamine', { job_name: 'from the web' }),
    await browser.alignment(ALIGNMENT),
  ];
  const failing = await browser.sequence('MKTAYIAKQR', 'nonsense');
  const own = at.write('own.csv', 'id,sequence\np1,MKTAYIAKLL\n');
  await runs(0, 'run', own, '--yes');
  const submitted = 4;
  const ended = await runs(0, 'adopt', 'predictions', '--past', '--json');
  expect(ended.stderr).toMatch(/4 jobs: 1 already in .*results, 2 new/);
  expect(ended.stderr).toContain('1 failed there and are skipped');
  expect(documentOf(ended)).toMatchObject({
    items: { total: 2, succeeded: 2, adopted: 2 },
    submissions: 0,
  });
  const [name = ''] = adoptedIn(at);
  const tree = at.path('results', name);
  const table = await itemsTable(tree);
  expect(new Set(table.map(({ remote_id }) => remote_id))).toEqual(new Set(jobs));
  expect(table.map(({ kind }) => kind).sort()).toEqual(['alignment', 'sequence']);
  await noItemLost(
    tree,
    table.map(({ id = '' }) => id),
  );
  await treeIsWhole(tree);
  // The same command again: nothing is left to adopt, and nothing is lost.
  const again = await runs(0, 'adopt', 'predictions', '--past', '--json');
  expect(again.stderr).toMatch(/4 jobs: 3 already in .*results, 0 new/);
  expect(documentOf(again)).toMatchObject({ campaign: name, items: { total: 2, succeeded: 2 } });
  // Also under another name, which would get no jobs.
  const other = await runs(0, 'adopt', 'predictions', '--past', '--name', 'other', '--json');
  expect(documentOf(other)).toEqual({ campaign: null, adopted: 0 });
  // A job that failed there is adopted by its id, into the same campaign or another.
  const named = await runs(3, 'adopt', 'predictions', failing, '--kind', 'sequence', '--name', 'f');
  expect(named.stderr).toContain('f: 0 of 1 succeeded, 1 failed');
  expect((await itemsTable(at.path('results', 'f')))[0]).toMatchObject({
    error_code: 'JOB_FAILED',
  });
  // A retry asks for the same job again.
  const retried = await runs(3, 'retry', 'f', '--json');
  expect(documentOf(retried)).toMatchObject({ items: { failed: 1 }, submissions: 0 });
  await noSecret(PREDICTION_TOKEN, at.path('results'), { said: ended.stderr + ended.stdout });
  const journal = await service.end();
  expect(journal).toHaveLength(submitted);
});

test('adopt by id detects the kind, resumes with the same command, and accepts molecules as well', async () => {
  const { at, service, browser, runs } = await scene();
  const [one, two] = [await browser.sequence('MKTAYIAKQR'), await browser.alignment(ALIGNMENT)];
  const molecule = await browser.molecule('CCO', { token: env.HUNDREDFOLD_MOLECULE_TOKEN });
  const words = ['adopt', 'predictions', one, two];
  // The clocks of these two time zones never show the same date.
  await at.runs(0, words, { env: { ...env, TZ: 'Pacific/Pago_Pago' } });
  const again = await at.runs(0, words, { env: { ...env, TZ: 'Pacific/Kiritimati' } });
  expect(again.stderr).toContain('Nothing to do');
  expect(adoptedIn(at)).toHaveLength(1);
  // More ids of the same campaign.
  const three = await browser.sequence('MKTAYIAKLL');
  const more = await runs(0, 'adopt', 'predictions', one, three, '--json');
  expect(documentOf(more)).toMatchObject({ items: { total: 3, succeeded: 3 }, submissions: 0 });
  await runs(0, 'adopt', 'molecules', molecule, '--name', 'web');
  await treeIsWhole(at.path('results', 'web'));
  expect((await itemsTable(at.path('results', 'web')))[0]).toMatchObject({ kind: 'molecule' });
  expect(await service.end()).toHaveLength(4);
});

test('adopt --past continues an unfinished campaign of another day', async () => {
  const { at, service, browser, runs } = await scene();
  const [one, two] = [await browser.sequence('MKTAYIAKQR'), await browser.sequence('MKTAYIAKLL')];
  // The state after the machine stopped before the campaign was started.
  const row = { id: 'first', kind: 'sequence', remote_id: one };
  const name = 'adopted-predictions-2020-01-01';
  at.write(`results/${name}/.hundredfold/adopted.jsonl`, `${JSON.stringify(row)}\n`);
  const ended = await runs(0, 'adopt', 'predictions', '--past', '--json');
  expect(documentOf(ended)).toMatchObject({ campaign: name, items: { total: 2, succeeded: 2 } });
  const table = await itemsTable(at.path('results', name));
  expect(table.map(({ id }) => id)).toEqual(['first', two]);
  expect(await service.end()).toHaveLength(2);
});

test('adopt refuses invalid requests, and starts nothing', async () => {
  const { at, browser, runs } = await scene();
  await browser.sequence('MKTAYIAKQR');
  const unknown = '00000000-0000-4000-8000-000000000000';
  const refusals = [
    [['predictions', unknown, '--past'], 'ADOPT_NOTHING_NAMED'],
    [['predictions', '../x'], 'ADOPT_ID_INVALID'],
    [['predictions', unknown, '--kind', 'molecule'], 'ADOPT_KIND_OF_OTHER'],
    [['predictions', unknown], 'ADOPT_KIND_UNKNOWN'],
    [['molecules', '--past'], 'ADOPT_NO_LIST'],
  ] as const;
  for (const [words, code] of refusals) {
    const { stderr } = await runs(2, 'adopt', ...words);
    expect(stderr, words.join(' ')).toContain(`[${code}]`);
  }
  expect(readdirSync(at.folder)).not.toContain('results');
  // A campaign with its own manifest is not changed.
  const own = at.write('own.csv', 'id,sequence\np1,MKTAYIAKLL\n');
  await runs(0, 'run', own, '--yes');
  const words = ['predictions', unknown, '--kind', 'sequence', '--name', 'own'];
  expect((await runs(2, 'adopt', ...words)).stderr).toContain('[CAMPAIGN_DIFFERS]');
  await treeIsWhole(at.path('results', 'own'));
});

test('without ids, adopt lists the jobs of the service, when they are deleted, and which ones are stored here', async () => {
  const { at, browser, runs } = await scene();
  const web = await browser.sequence('MKTAYIAKQR', 'dynamine', { job_name: 'tab\there' });
  const shared = await browser.alignment(ALIGNMENT);
  await runs(0, 'run', at.write('own.csv', 'id,sequence\np1,MKTAYIAKLL\n'), '--yes');
  const { stdout } = await runs(0, 'adopt', 'predictions');
  const [header, ...lines] = stdout.trimEnd().split('\n');
  expect(header).toMatch(/^SERVICE +KIND +REMOTE_ID +STATE +SUBMITTED +DELETED_AFTER +HERE +NAME$/);
  expect(lines).toHaveLength(3);
  expect(lines.find((line) => line.includes(web))).toMatch(/FINISHED .* - +tab here$/);
  expect(lines.find((line) => line.includes('own/sequences/p1'))).toBeDefined();
  expect((await runs(0, 'adopt', 'molecules')).stderr).toContain(
    'note: the molecule service has no list',
  );
  const listed = documentOf(await runs(0, 'adopt', 'predictions', '--json'));
  const jobs = listed['jobs'] as Record<string, string>[];
  expect(jobs.map(({ kind }) => kind).sort()).toEqual(['alignment', 'sequence', 'sequence']);
  const one = jobs.find(({ remoteId }) => remoteId === shared);
  const days =
    (Date.parse(one?.['deletedAt'] ?? '') - Date.parse(one?.['submittedAt'] ?? '')) / 864e5;
  expect([days, one?.['here']]).toEqual([14, null]);
  expect(jobs.find(({ here }) => here)?.['here']).toMatchObject({
    campaign: 'own',
    id: 'p1',
    state: 'succeeded',
    path: 'own/sequences/p1',
  });
});

test('without ids, adopt reports a service that does not answer, and exits with an error', async () => {
  const { service, runs } = await scene();
  await service.end();
  const { stdout, stderr } = await runs(1, 'adopt', 'predictions', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ jobs: [], incomplete: true });
  expect(stderr).toMatch(/note: .*results/);
});

test('the local services are queried without a Temporal server', async () => {
  const at = desk();
  await at.runs(0, ['run', at.write('own.csv', 'id,smiles\nm1,CCO\n'), '--services', 'local']);
  const words = ['adopt', 'predictions', '--services', 'local', '--json'];
  const { stdout } = await at.runs(0, words);
  expect(JSON.parse(stdout)).toMatchObject({ jobs: [], incomplete: false });
});
