import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Item } from '../../src/domain/item.ts';
import type { EngineJob, EngineOutcome } from '../../src/local-services/engines/engine.ts';
import { RecordedEngine } from '../../src/local-services/engines/recorded.ts';
import { campaignName } from '../../src/manifest/name.ts';
import { readManifests, type ManifestReading } from './read-all.ts';
import { BATCHES } from './manifests.ts';

const engine = new RecordedEngine(() => 0, 'molecules');

function batch(name: string): Promise<ManifestReading> {
  return readManifests([path.join(BATCHES, name)]);
}

/** The input that the service would give to the engine. */
function job({ options, input }: Item): EngineJob {
  switch (options.kind) {
    case 'molecule': {
      const isSmiles = input.name === 'input.smi';
      return {
        ...options,
        smiles: isSmiles ? input.text : null,
        inputFile: isSmiles ? null : input.text,
        fileName: input.name,
      };
    }
    case 'sequence':
      return { ...options, fasta: input.text, unknownPredictors: [] };
    case 'alignment':
      return { kind: 'alignment', fasta: input.text };
    case 'shifts': {
      const format = input.name === 'input.nef' ? 'nef' : 'nmr-star';
      return { ...options, text: input.text, format };
    }
  }
}

async function outcomes(items: readonly Item[]): Promise<Map<string, EngineOutcome>> {
  const found = new Map<string, EngineOutcome>();
  for (const item of items) {
    const context = {
      signal: AbortSignal.timeout(10_000),
      heartbeatEveryMs: 1000,
      progress: () => undefined,
      heartbeat: () => undefined,
    };
    found.set(item.id, await engine.run(job(item), context));
  }
  return found;
}

/** Ids of the items that fail, with the engine's message. */
async function failures(items: readonly Item[]): Promise<Record<string, string>> {
  const all = [...(await outcomes(items))];
  return Object.fromEntries(all.flatMap(([id, one]) => (one.ok ? [] : [[id, one.message]])));
}

describe('batches/demo', () => {
  test('has 24 items of all four kinds and no problems', async () => {
    const { items, problems, rows, kinds } = await batch('demo');
    expect(problems).toEqual([]);
    expect([rows, items.length]).toEqual([24, 24]);
    expect(kinds).toEqual({ molecule: 11, sequence: 5, alignment: 4, shifts: 4 });
  });

  test('succeeds completely in the real engines, as recorded', async () => {
    expect(await failures((await batch('demo')).items)).toEqual({});
  });

  test("keeps the user's column", async () => {
    const { items } = await batch('demo');
    expect(items.map((item) => Object.keys(item.user))).toEqual(items.map(() => ['project']));
    expect(items[0]?.user).toEqual({ project: 'analgesics' });
  });
});

describe('batches/screening', () => {
  test('is 64 molecules without a problem, all recorded as successes', async () => {
    const { items, problems } = await batch('screening');
    expect(problems).toEqual([]);
    expect(items).toHaveLength(64);
    expect(await failures(items)).toEqual({});
  });
});

describe('batches/demo-real', () => {
  test('has every kind, without a problem; its molecules have no recording', async () => {
    const { items, problems, kinds } = await batch('demo-real');
    expect(problems).toEqual([]);
    expect(kinds).toEqual({ molecule: 6, sequence: 1, alignment: 1, shifts: 1 });
    const molecules = items.filter(({ kind }) => kind === 'molecule');
    expect(Object.keys(await failures(items)).sort()).toEqual(molecules.map(({ id }) => id).sort());
  });
});

describe('batches/failures', () => {
  test('fails unless its column `why` says otherwise', async () => {
    const { items } = await batch('failures');
    const failed = await failures(items);
    const meant = items.filter((item) => !item.user['why']?.startsWith('succeeds'));
    expect(Object.keys(failed).sort()).toEqual(meant.map((item) => item.id).sort());
    // The checks refuse everything on which the real engines are known to fail: only the unknown is left.
    for (const words of Object.values(failed)) expect(words).toMatch(/^No recording/);
  });
});

test('a folder with one manifest is read as that manifest and gives the campaign its name', async () => {
  const [item] = (await batch('demo')).items;
  expect(item?.source.file).toBe(path.join(BATCHES, 'demo', 'manifest.csv'));
  expect(campaignName(['batches/demo'])).toBe('demo');
});
