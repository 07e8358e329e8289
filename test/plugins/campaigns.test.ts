/**
 * Both examples of plugins (examples/services) as campaigns of the real command, against their fake servers over HTTP:
 * with kills, lost answers and 429s they keep the promises that our own services keep, and a tree outlives its plugin.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Window } from '../../src/budget/policy.ts';
import type { JournalEntry } from '../../packages/local-services/src/journal.ts';
import type { FakeServer } from '../../examples/services/server.ts';
import { fakeTranslate } from '../../examples/services/translate-server.ts';
import { fakeUniProt } from '../../examples/services/uniprot-server.ts';
import { desk, ROOT, type Desk } from '../cli/command.ts';
import { keepsPromises, neverOverBudget } from '../promises.ts';

const KEY = { TRANSLATE_KEY: 'kEy-of-the-lab-7' };
/** Of each plugin. */
const ROWS = 12;

interface Scene {
  readonly plugin: 'uniprot' | 'translate';
  readonly server: FakeServer;
  /** Under `services.NAME`. */
  readonly settings: string;
}

/** A desk with the plugins, their services, and a campaign `campaign`. */
async function setUp(manifest: readonly string[], ...scenes: readonly Scene[]): Promise<Desk> {
  const at = desk();
  const services: string[] = [];
  for (const { plugin, server, settings } of scenes) {
    const url = await server.listen();
    onTestFinished(() => server.close());
    const file = `${plugin}.ts`;
    at.write(file, readFileSync(join(ROOT, 'examples', 'services', file), 'utf8'));
    services.push(`${plugin}: { url: "${url}", ${settings}, poll: { every: 500ms, atMost: 1s } }`);
  }
  const plugins = scenes.map(({ plugin }) => `./${plugin}.ts`).join();
  at.write('hundredfold.yaml', `plugins: [${plugins}]\nservices: { ${services.join()} }\n`);
  at.write('campaign.csv', `${manifest.join('\n')}\n`);
  return at;
}

const RUN = ['run', 'campaign.csv'];

/** Runs the campaign until so many items have ended, and kills the process with its worker: twice, then to the end. */
async function runThroughKills(at: Desk): Promise<void> {
  for (const ended of [ROWS / 3, ROWS]) {
    const typed = at.type(RUN, { env: KEY });
    await typed.until(() => at.done('campaign') >= ended, `${ended} items had ended`);
    typed.kill('SIGKILL');
    await typed.ended;
  }
  await at.runs(0, RUN, { env: KEY });
}

/** Each job once, and what was refused beyond a limit. A 429 within all limits is a fault of the test's own. */
function journalOf({ journal }: Pick<FakeServer, 'journal'>): JournalEntry[] {
  return journal
    .filter(({ isNew, isTooMany }) => isNew || isTooMany)
    .map(({ at, jobId, status, isNew }) => ({
      // The promise is asserted for the service that has a limit by contract.
      service: 'predictions',
      endpoint: 'single_sequence',
      at,
      token: null,
      address: '',
      jobName: jobId,
      accepted: isNew,
      status,
      requestId: jobId,
    }));
}

const idsOf = (plugin: string) => Array.from({ length: ROWS }, (_, n) => `${plugin}-${n}`);

async function expectPromises(
  at: Desk,
  server: FakeServer,
  windows: readonly Window[],
  rows: readonly string[],
) {
  const ids = ['uniprot', 'translate'].flatMap(idsOf);
  await keepsPromises({
    journal: journalOf(server),
    windows,
    rows,
    trees: [{ folder: at.path('results', 'campaign'), ids }],
    secrets: Object.values(KEY),
    folders: [at.folder],
    texts: {},
  });
  const jobs = server.journal.filter(({ isNew }) => isNew);
  expect(jobs, 'a job for each row, whatever was lost').toHaveLength(ROWS);
  expect(server.journal.filter(({ isAnswerLost }) => isAnswerLost).length).toBeGreaterThan(1);
  expect(server.journal.filter(({ status }) => status === 429).length).toBeGreaterThan(1);
  expect(server.mostOpen, 'jobs at the same time').toBeLessThanOrEqual(5);
}

/** Of three codons, another for each number below 64. */
function dnaOf(n: number): string {
  const codon = [n >> 4, n >> 2, n].map((digit) => 'ACGT'[digit & 3]).join('');
  return `ATG${codon}TAA`;
}

test('identifiers are mapped page by page and DNA is translated within two windows, and the promises are kept', async () => {
  const faults = { maxOpen: 5, loseEvery: 5, busyEvery: 6 };
  const sent = [{ limit: 6, windowMs: 4_000 }];
  const uniprot = fakeUniProt({ ...faults, windows: sent, counts: 'sent' });
  const two = [
    { limit: 4, windowMs: 2_000 },
    { limit: 10, windowMs: 6_000 },
  ];
  const translate = fakeTranslate({ ...faults, windows: two });
  const mapped = idsOf('uniprot').map((id, n) => `${id},P${n} Q${n} NO${n},`);
  const translated = idsOf('translate').map((id, n) => `${id},,${dnaOf(n)}`);
  const at = await setUp(
    ['id,ids,dna', ...mapped, ...translated],
    {
      plugin: 'uniprot',
      server: uniprot,
      settings: 'pageSize: 2, budget: { limit: 6, window: 4s }',
    },
    {
      plugin: 'translate',
      server: translate,
      settings: 'budget: [{ limit: 4, window: 2s }, { limit: 10, window: 6s }]',
    },
  );
  await runThroughKills(at);
  await expectPromises(at, uniprot, sent, idsOf('uniprot'));
  await expectPromises(at, translate, two, idsOf('translate'));
  // Its window counts what was sent, whatever the answer.
  const all = { journal: uniprot.journal.map((one) => ({ ...one, isNew: true })) };
  for (const window of sent) neverOverBudget(journalOf(all), window);
  const table = readFileSync(at.path('results', 'campaign', 'tables', 'id-mapping.csv'), 'utf8');
  for (const [n, id] of idsOf('uniprot').entries())
    for (const pair of [`P${n},XP${n}`, `Q${n},XQ${n}`, `NO${n},`])
      expect(table).toContain(`${id},${pair},`);
}, 600_000);

test('rows wait for the plugin that they were prepared with, and a tree is read without it', async () => {
  const server = fakeTranslate({ runsMs: 1_000 });
  const manifest = ['id,dna', 'one,ATGGCATAA', 'two,CAGCAG'];
  const settings = 'budget: none';
  const at = await setUp(manifest, { plugin: 'translate', server, settings });
  const killed = at.type(RUN, { env: KEY });
  await killed.until(() => server.journal.length === 2, 'both jobs were sent');
  killed.kill('SIGKILL');
  await killed.ended;

  const plugin = readFileSync(at.path('translate.ts'), 'utf8');
  at.write('translate.ts', plugin.replace('protein.length * 3', '3 * protein.length'));
  const other = await at.hosts(KEY);
  const status = async (): Promise<string> => (await at.runs(0, ['status', 'campaign'])).stdout;
  const refusal =
    /rows of the kind dna, of the plugin \.\/translate\.ts .* another form of it \(sha256/;
  await vi.waitFor(async () => expect(await status()).toMatch(refusal), 60_000);
  expect(server.journal, 'what the other plugin has sent').toHaveLength(2);
  expect(at.done('campaign')).toBe(0);
  other.kill('SIGKILL');
  await other.ended;

  // Typed again, the command goes on with the new form, and says so.
  const { stderr } = await at.runs(0, RUN, { env: KEY });
  expect(stderr).toMatch(
    /plugin \.\/translate\.ts has changed \(sha256 [0-9a-f]{12} → [0-9a-f]{12}\)/,
  );
  expect(server.journal.filter(({ isNew }) => isNew)).toHaveLength(2);

  at.write('hundredfold.yaml', '{}');
  for (const command of ['verify', 'report', 'verify']) await at.runs(0, [command, 'campaign']);
  const { stdout } = await at.runs(0, ['items', 'campaign', '--kind', 'dna', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ items: [{ id: 'one' }, { id: 'two' }] });
  const { stderr: refused } = await at.runs(2, RUN, { env: KEY });
  expect(refused).toContain('this process has no plugin with it. [TREE_OTHER_PLUGIN]');
}, 600_000);
