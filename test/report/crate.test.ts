/** The tree is complete and understandable for a recipient who knows nothing of this project. */
import { execFileSync } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeFinishedTree } from '../../bench/finished-tree.ts';
import { crateValidator, type CrateProfile } from '../../scripts/python-environment.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import { treeFaults } from '../../src/report/verify/tree.ts';
import { openFileStore } from '../../src/store/filesystem.ts';
import type { ItemRecord } from '../../src/store/item-record.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { itemKey } from '../../src/store/layout.ts';
import type { Store } from '../../src/store/store.ts';
import { aMolecule, aSequence } from '../store/an-item.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { END, FAILED, endedCampaign } from './a-campaign.ts';

const METADATA = 'ro-crate-metadata.json';
type Entity = Readonly<Record<string, unknown>>;

async function published(each: number): Promise<Store> {
  const { store, end } = await writeFinishedTree(await temporaryFolder(), each);
  await publishCampaign(store, end);
  return store;
}

async function graphOf(store: Store): Promise<ReadonlyMap<unknown, Entity>> {
  const { '@graph': graph } = JSON.parse((await store.readText(METADATA)) ?? '') as {
    '@graph': Entity[];
  };
  expect(new Set(graph.map((one) => one['@id'])).size, 'each entity once').toBe(graph.length);
  return new Map(graph.map((one) => [one['@id'], one]));
}

describe('the metadata', () => {
  let made: Promise<ReadonlyMap<unknown, Entity>> | undefined;
  const finished = () => (made ??= published(8).then(graphOf));

  test('name every item, its end, the engines with their versions, and the run', async () => {
    const graph = await finished();
    expect(graph.get('molecules/molecule-00000/')).toEqual({
      '@id': 'molecules/molecule-00000/',
      '@type': 'Dataset',
      name: 'ethanol',
      description: 'succeeded',
      hasPart: { '@id': 'molecules/molecule-00000/input.smi' },
    });
    expect(graph.get('molecules/molecule-00007/')).toMatchObject({
      description: 'failed',
      hasPart: { '@id': 'molecules/molecule-00007/input.smi' },
    });
    expect(graph.get('sequences/')?.['hasPart']).toHaveLength(8);
    expect(graph.get('#molecules')).toMatchObject({ version: '2023.10.27' });
    expect(graph.get('#predictions')).toMatchObject({ version: '3.0.9' });
    expect(graph.get('#run-1')).toMatchObject({
      startTime: '2026-11-21T20:00:00+00:00',
      actionStatus: 'http://schema.org/CompletedActionStatus',
    });
  });

  test('describe for each job its program, inputs, result, times and user', async () => {
    const graph = await finished();
    expect(graph.get('#job-1')).toEqual({
      '@id': '#job-1',
      '@type': 'CreateAction',
      name: 'Job 1',
      description: 'charge_method=bcc net_charge=auto atom_type=gaff2',
      instrument: { '@id': '#molecules' },
      object: { '@id': 'molecules/molecule-00000/input.smi' },
      result: { '@id': 'molecules/molecule-00000/' },
      startTime: '2026-11-21T20:00:00+00:00',
      endTime: '2026-11-21T20:00:04+00:00',
      agent: { '@id': '#agent' },
    });
    const jobs = [...graph.values()].filter(({ '@id': id }) => String(id).startsWith('#job-'));
    const input = { '@id': 'molecules/molecule-00007/input.smi' };
    const failedJob = jobs.find((job) => JSON.stringify(job['object']) === JSON.stringify(input));
    expect(failedJob).toMatchObject({
      actionStatus: 'http://schema.org/FailedActionStatus',
      error: expect.stringMatching(/^JOB_FAILED: /) as string,
    });
    const mentions = graph.get('./')?.['mentions'] as readonly { '@id': string }[];
    expect(mentions).toHaveLength(1 + jobs.length);
  });

  test('name the engine version that each job reports', async () => {
    const engines: Readonly<Record<string, Partial<ItemRecord>>> = {
      old: { engine: 'real, ACPYPE 2023.10.27, Open Babel 3.1.1.23' },
      new: { engine: 'real, ACPYPE 2026.10.15, Open Babel 3.1.1.23' },
    };
    const store = await endedCampaign([aMolecule('old'), aMolecule('new')], engines);
    await publishCampaign(store, END);
    const graph = await graphOf(store);
    expect(graph.get('#job-1')).toMatchObject({ instrument: { '@id': '#molecules-2023.10.27' } });
    expect(graph.get('#job-2')).toMatchObject({ instrument: { '@id': '#molecules-2026.10.15' } });
    expect(graph.get('#molecules-2026.10.15')).toMatchObject({ version: '2026.10.15' });
  });

  test('a row that shares a job has no job of its own, and names the row with the result', async () => {
    const from = { resultFrom: { type: 'duplicate', id: 'a' } } as const;
    const store = await endedCampaign([aMolecule('a'), aMolecule('b')], { b: from });
    await publishCampaign(store, END);
    const graph = await graphOf(store);
    expect(graph.get('molecules/b/')).toMatchObject({ isBasedOn: { '@id': 'molecules/a/' } });
    expect([graph.has('#job-1'), graph.has('#job-2')]).toEqual([true, false]);
  });

  test('contain no dangling reference', async () => {
    const graph = await finished();
    const text = JSON.stringify([...graph.values()].filter(({ '@id': id }) => id !== METADATA));
    const references = [...text.matchAll(/\{"@id":"([^"]+)"\}/g)].map(([, id]) => id);
    expect(references.filter((id) => !graph.has(id))).toEqual([]);
  });

  test('describe a campaign without a successful item', async () => {
    const store = await endedCampaign([aMolecule('a')], { a: FAILED });
    await publishCampaign(store, END);
    const graph = await graphOf(store);
    expect(graph.get('#molecules')).toMatchObject({ version: 'not stated by the results' });
  });
});

const validator = await crateValidator();
const missing = 'missing' in validator ? validator.missing : '';

describe(`an independent validator${missing === '' ? '' : ` (skipped: ${missing})`}`, () => {
  async function broken(folder: string, profile: CrateProfile): Promise<string[]> {
    if ('missing' in validator) throw new Error(validator.missing);
    const { issues, asked } = await validator.validate(folder, profile);
    expect(asked, 'addresses it wanted to ask').toEqual([]);
    return issues.filter(({ severity }) => severity === 'REQUIRED').map(({ message }) => message);
  }

  test.skipIf(missing !== '')(
    'finds everything that RO-Crate 1.2 requires',
    async () => {
      const { location } = await published(1);
      expect(await broken(location, 'ro-crate-1.2')).toEqual([]);
      const path = join(location, METADATA);
      const text = await readFile(path, 'utf8');
      await writeFile(path, text.replace('"datePublished"', '"dateOfDay"'));
      expect(await broken(location, 'ro-crate-1.2')).not.toEqual([]);
    },
    240_000,
  );

  test.skipIf(missing !== '')(
    'finds everything that the profile Process Run Crate requires',
    async () => {
      // The eighth molecule failed.
      const { location } = await published(8);
      expect(await readFile(join(location, METADATA), 'utf8')).toContain('FailedActionStatus');
      expect(await broken(location, 'process-run-crate')).toEqual([]);
      const path = join(location, METADATA);
      const text = await readFile(path, 'utf8');
      await writeFile(path, text.replace('"instrument":{"@id":"#molecules"},', ''));
      expect(await broken(location, 'process-run-crate')).not.toEqual([]);
    },
    240_000,
  );
});

describe('sha256sum', () => {
  /** Names that a service may give to its files, and that are difficult for a shell, a spreadsheet or a list. */
  const NAMES = [
    ' blank.itp',
    '*star.itp',
    '"quoted".itp',
    "it's.itp",
    'ä β 🧬.itp',
    '#hash%20.itp',
  ];

  async function hostileTree(): Promise<Store> {
    const ids = ['-rf', '_', 'a..b', 'x'.repeat(64)];
    const store = await endedCampaign([...ids.map((id) => aMolecule(id)), aSequence('s')]);
    const record = await readItem(store, 'molecule', '-rf');
    if (!record) throw new Error('not prepared');
    const files = { ...record.files };
    for (const name of [...NAMES, 'rejected/ wrong.itp']) {
      const { bytes, sha256 } = await store.write(itemKey('molecule', '-rf', name), name);
      files[name] = { bytes, sha256 };
    }
    await writeItem(store, { ...record, files });
    await publishCampaign(store, END);
    return store;
  }

  const check = (cwd: string): string =>
    execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd, encoding: 'utf8' });

  test('finds every file of the tree, also of a copy elsewhere', async () => {
    const { location } = await hostileTree();
    const copy = join(await temporaryFolder(), "a colleague's disk");
    await cp(location, copy, { recursive: true });
    expect(await treeFaults(await openFileStore(copy))).toEqual([]);
    const lines = check(copy).trimEnd().split('\n');
    for (const name of [...NAMES.map((one) => `molecules/-rf/${one}`), METADATA]) {
      expect(lines).toContain(`${name}: OK`);
    }
    expect(lines.filter((line) => !line.endsWith(': OK'))).toEqual([]);
  });
});
