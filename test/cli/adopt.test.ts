/** `adopt`, against a service with jobs that were submitted by other means. */
import { mkdirSync, readdirSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { BrowserJobs } from '../browser-jobs.ts';
import { itemsTable } from '../promises.ts';
import { sharedDesk, type Ended } from './command.ts';
import { rehearse, TOKEN, type Rehearsal } from './rehearsal.ts';

const MOLECULE_TOKEN = 'moleculeT0';
const ALIGNMENT = '>a\nMKTAYIAKQR\n>b\nMKTAY-AKQR\n';
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

const at = sharedDesk();
let service: Rehearsal;
let browser: BrowserJobs;

/** One service and one server for all; each folder has its own output trees. */
function runsIn(folder: string) {
  mkdirSync(at.path(folder));
  const own = {
    ...TOKEN,
    HUNDREDFOLD_MOLECULE_TOKEN: MOLECULE_TOKEN,
    HUNDREDFOLD_EMBEDDED_DIR: at.embedded,
  };
  return (code: number, words: readonly string[]) =>
    at.runs(code, [...words, '--config', at.path('hundredfold.yaml')], {
      env: own,
      cwd: at.path(folder),
    });
}

beforeAll(async () => {
  service = await rehearse(at, { limit: 100, seconds: 3600 });
  const { url } = service;
  const both = `services:\n  molecules: { url: "${url}/acpype" }\n  predictions: { url: "${url}" }\n`;
  at.write('hundredfold.yaml', both);
  browser = new BrowserJobs(
    { url, moleculesUrl: `${url}/acpype` },
    TOKEN.HUNDREDFOLD_PREDICTION_TOKEN,
  );
  await at.hosts({ ...TOKEN, HUNDREDFOLD_MOLECULE_TOKEN: MOLECULE_TOKEN });
});

const documentOf = ({ stdout }: Ended) => JSON.parse(stdout) as Record<string, unknown>;
const treesIn = (folder: string) =>
  readdirSync(at.path(folder, 'results')).filter((name) => !name.startsWith('.'));

test('invalid requests are refused, and nothing starts', async () => {
  const runs = runsIn('refused');
  for (const [words, message] of [
    [['predictions', '../x'], '"../x" cannot be the id of a job'],
    [['predictions', UNKNOWN, '--kind', 'molecule'], 'is not a kind of the service predictions'],
    [['predictions', UNKNOWN], 'its kind is not known'],
  ] as const) {
    const { stderr } = await runs(2, ['adopt', ...words]);
    expect(stderr, words.join(' ')).toContain(message);
    expect(stderr).toContain('[ADOPT_REFUSED]');
  }
  expect(readdirSync(at.path('refused'))).toEqual([]);
});

test('adopt continues the campaign of an earlier adoption', async () => {
  const runs = runsIn('unfinished');
  const [one, two] = [await browser.sequence('MKTAYIAKQR'), await browser.sequence('MKTAYIAKLL')];
  // The state after the machine stopped before the campaign was started.
  const row = { id: 'first', kind: 'sequence', remote_id: one };
  const name = 'adopted-predictions';
  const folder = `unfinished/results/${name}`;
  at.write(`${folder}/.hundredfold/adopted.jsonl`, `${JSON.stringify(row)}\n`);
  const ended = await runs(0, ['adopt', 'predictions', two, '--json']);
  expect(documentOf(ended)).toMatchObject({ campaign: name, items: { total: 2, succeeded: 2 } });
  const table = await itemsTable(at.path(folder));
  expect(table.map(({ id }) => id)).toEqual(['first', two]);
});

test('the jobs of a browser are listed and adopted by their ids, and nothing is submitted', async () => {
  const runs = runsIn('past');
  const web = await browser.sequence('MKTAYIAKGG', 'dynamine', { job_name: 'tab\there' });
  const shared = await browser.alignment(ALIGNMENT);
  const failing = await browser.sequence('MKTAYIAKQR', 'nonsense');
  await runs(0, ['run', at.write('past/own.csv', 'id,sequence\np1,MKTAYIAKWW\n'), '--yes']);
  const predictions = ['adopt', 'predictions'];

  const { stdout } = await runs(0, predictions);
  const [header, ...lines] = stdout.trimEnd().split('\n');
  expect(header).toMatch(/^SERVICE +KIND +REMOTE_ID +STATE +SUBMITTED +HERE +NAME$/);
  expect(lines).toHaveLength(6);
  expect(lines.find((line) => line.includes(web))).toMatch(/FINISHED .* - +tab here$/);
  expect(lines.filter((line) => line.includes(' own/sequences/p1 '))).toHaveLength(1);

  const named = [...predictions, web, shared, '--json'];
  const items = { total: 2, succeeded: 2, adopted: 2 };
  expect(documentOf(await runs(0, named))).toMatchObject({ items, submissions: 0 });
  const name = 'adopted-predictions';
  const table = await itemsTable(at.path('past', 'results', name));
  expect(table.map(({ remote_id }) => remote_id).sort()).toEqual([web, shared].sort());
  // The same command again, and the list that names them.
  expect(documentOf(await runs(0, named))).toMatchObject({ campaign: name, items });
  const { jobs } = documentOf(await runs(0, [...predictions, '--json'])) as {
    jobs: { remoteId: string; here: { campaign: string } | null }[];
  };
  const here = jobs.filter((job) => job.here?.campaign === name);
  expect(here.map(({ remoteId }) => remoteId).sort()).toEqual([web, shared].sort());
  // A job that failed there.
  await runs(3, [...predictions, failing, '--kind', 'sequence', '--name', 'f']);
  const failed = await itemsTable(at.path('past', 'results', 'f'));
  expect(failed).toMatchObject([{ error_code: 'JOB_FAILED' }]);
  // A campaign with its own manifest is not changed.
  const differs = await runs(2, [...predictions, UNKNOWN, '--kind', 'sequence', '--name', 'own']);
  expect(differs.stderr).toContain('[CAMPAIGN_DIFFERS]');
});

test('adopt by id detects the kind, resumes and grows with the same command, and accepts molecules as well', async () => {
  const runs = runsIn('by-id');
  const [one, two] = [await browser.sequence('MKTAYIAKDD'), await browser.alignment(ALIGNMENT)];
  const molecule = await browser.molecule('CCO', { token: MOLECULE_TOKEN });
  await runs(0, ['adopt', 'predictions', one]);
  const grown = await runs(0, ['adopt', 'predictions', two, '--json']);
  expect(documentOf(grown)).toMatchObject({ items: { total: 2, succeeded: 2 }, submissions: 0 });
  expect(treesIn('by-id')).toHaveLength(1);
  await runs(0, ['adopt', 'molecules', molecule, '--name', 'web']);
  const [web] = await itemsTable(at.path('by-id', 'results', 'web'));
  expect(web).toMatchObject({ kind: 'molecule' });
});

test('a service that does not answer is reported with an error; only one submission was ours', async () => {
  expect(await service.end()).toHaveLength(9);
  const { stdout, stderr } = await runsIn('away')(1, ['adopt', 'predictions', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ jobs: [], incomplete: true });
  expect(stderr).toMatch(/note: .*results/);
});
