/** The tree is complete and understandable for a recipient who knows nothing of this project. */
import { execFileSync } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { crateValidator, type CrateProfile } from '../../scripts/python-environment.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import { treeIsWhole } from '../promises.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { buildItemKey } from '../../src/store/layout.ts';
import type { Store } from '../../src/store/store.ts';
import { aMolecule, aSequence } from '../store/an-item.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { END, FAILED, endedCampaign, type Ending } from './a-campaign.ts';

const METADATA = 'ro-crate-metadata.json';

/** One item of each end. */
const ITEMS = [aMolecule('old'), aMolecule('new'), aMolecule('copy'), aSequence('failed')];
const ENDINGS: Readonly<Record<string, Ending>> = {
  old: { engine: 'real, ACPYPE 2023.10.27, Open Babel 3.1.1.23' },
  new: { engine: 'real, ACPYPE 2026.10.15, Open Babel 3.1.1.23' },
  copy: { resultFrom: { type: 'duplicate', id: 'old' } },
  failed: FAILED,
};

async function published(): Promise<Store> {
  const store = await endedCampaign(ITEMS, ENDINGS);
  await publishCampaign(store, END);
  return store;
}

test('the metadata describe the campaign as one action, its engines by version, and each item with its end', async () => {
  const store = await published();
  const { '@graph': graph } = JSON.parse((await store.readText(METADATA)) ?? '') as {
    '@graph': Readonly<Record<string, unknown>>[];
  };
  const entities = new Map(graph.map((one) => [one['@id'], one]));
  expect(entities.size, 'each entity once').toBe(graph.length);
  const engines = ['#molecules-2023.10.27', '#molecules-2026.10.15', '#predictions'];
  expect(graph.filter((one) => one['@type'] === 'CreateAction')).toEqual([
    {
      '@id': '#campaign',
      '@type': 'CreateAction',
      name: 'The campaign (completed)',
      description:
        'Sent the jobs and fetched their results; each item.json has the times of its own.',
      startTime: '2026-11-21T20:00:00+00:00',
      endTime: '2026-11-22T06:00:00+00:00',
      agent: { '@id': '#agent' },
      actionStatus: 'http://schema.org/CompletedActionStatus',
      instrument: ['#hundredfold', ...engines].map((id) => ({ '@id': id })),
      object: { '@id': '#manifest-1' },
      result: { '@id': './' },
    },
  ]);
  const citation = 'https://doi.org/10.1186/1756-0500-5-367';
  expect(entities.get('#molecules-2026.10.15')).toMatchObject({ version: '2026.10.15', citation });
  expect(entities.get('#predictions')).toMatchObject({ version: 'not stated by the results' });
  // A row that shares a job has no job of its own.
  expect(entities.get('molecules/copy/')).toMatchObject({ isBasedOn: { '@id': 'molecules/old/' } });
  expect(entities.get('sequences/failed/')).toMatchObject({ description: 'failed (JOB_FAILED)' });
  const text = JSON.stringify(graph.filter(({ '@id': id }) => id !== METADATA));
  const references = [...text.matchAll(/\{"@id":"([^"]+)"\}/g)].map(([, id]) => id);
  expect(references.filter((id) => !entities.has(id))).toEqual([]);
});

const validator = await crateValidator();
const missing = 'missing' in validator ? validator.missing : '';

describe.skipIf(missing !== '')(
  `an independent validator${missing && ` (skipped: ${missing})`}`,
  () => {
    async function broken(folder: string, profile: CrateProfile): Promise<string[]> {
      if ('missing' in validator) throw new Error(validator.missing);
      const { issues, asked } = await validator.validate(folder, profile);
      expect(asked, 'addresses it wanted to ask').toEqual([]);
      return issues.filter(({ severity }) => severity === 'REQUIRED').map(({ message }) => message);
    }

    test('finds everything that RO-Crate 1.2 and the profile Process Run Crate require', async () => {
      const { location } = await published();
      expect(await broken(location, 'ro-crate-1.2')).toEqual([]);
      expect(await broken(location, 'process-run-crate')).toEqual([]);
      const path = join(location, METADATA);
      const text = await readFile(path, 'utf8');
      await writeFile(path, text.replace(/"instrument":\[[^\]]*\],/, ''));
      expect(await broken(location, 'process-run-crate')).not.toEqual([]);
    });
  },
);

/** Names that a service may give to its files, and that are difficult for a shell, a spreadsheet or a list. */
const NAMES = [' blank.itp', '*star.itp', '"quoted".itp', "it's.itp", 'ä β 🧬.itp', '#hash%20.itp'];

test('sha256sum finds every file of the tree, also of a copy elsewhere', async () => {
  const ids = ['-rf', '_', 'a..b', 'x'.repeat(64)];
  const store = await endedCampaign(ids.map((id) => aMolecule(id)));
  const record = await readItem(store, 'molecule', '-rf');
  if (!record) throw new Error('not prepared');
  const files = { ...record.files };
  for (const name of [...NAMES, 'rejected/ wrong.itp']) {
    const { bytes, sha256 } = await store.write(buildItemKey('molecule', '-rf', name), name);
    files[name] = { bytes, sha256 };
  }
  await writeItem(store, { ...record, files });
  await publishCampaign(store, END);

  const cwd = join(await temporaryFolder(), "a colleague's disk");
  await cp(store.location, cwd, { recursive: true });
  await treeIsWhole(cwd);
  const checked = execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd });
  const lines = checked.toString().trimEnd().split('\n');
  for (const name of [...NAMES.map((one) => `molecules/-rf/${one}`), METADATA]) {
    expect(lines).toContain(`${name}: OK`);
  }
  expect(lines.filter((line) => !line.endsWith(': OK'))).toEqual([]);
});
