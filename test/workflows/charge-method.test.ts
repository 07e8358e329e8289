/** A charge model that the contract does not list: such a job is sent only to a service that announces the model. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installedEngine } from '../../src/local-services/engines/real/installed.ts';
import { codes, keepsPromises, openRig, rowOf } from './faulty.ts';

const NEWER = '2026.10.15';
const newer = installedEngine('acpype', undefined, NEWER) !== null;
if (!newer) console.warn(`skipped: ACPYPE ${NEWER} is not installed here (docs/engines.md)`);

const DOCS = readFileSync(join(import.meta.dirname, '../../docs/engines.md'), 'utf8');

const ROWS = [
  { id: 'plain', smiles: 'CCO' },
  { id: 'asked', smiles: 'CCC', charge_method: 'abcg2' },
  { id: 'more', smiles: 'CCCC', charge_method: 'gas' },
];

test('a row is refused before submission if the service does not announce it; the others run', async () => {
  const rig = await openRig();
  const ran = await rig.run(ROWS);
  expect(await codes(ran)).toEqual({ '': 2, CHARGE_METHOD_NOT_OFFERED: 1 });
  expect((await rowOf(ran, 'asked'))['error']).toBe(
    `row asked: charge_method abcg2 is not offered by the service molecules at ${rig.services.moleculesUrl}: it announces bcc, gas; nothing was sent. Write bcc or gas into the row, or configure a service that offers it, such as: hundredfold services --acpype ${NEWER}.`,
  );
  expect(rig.services.journal()).toHaveLength(2);
  await keepsPromises(rig, ran);
});

test('it runs if the service announces it, also from the manifest in docs/engines.md', async () => {
  const rig = await openRig({ acpypeVersion: NEWER });
  const manifest = join(rig.folder, 'adenine.csv');
  await writeFile(manifest, /^```csv\n([\s\S]*?)^```$/m.exec(DOCS)?.[1] ?? '');
  expect(await codes(await rig.run(manifest))).toEqual({ '': 1 });
  const ran = await rig.run(ROWS);
  expect(await codes(ran)).toEqual({ '': 3 });
  const asked = rig.services.journal().filter(({ accepted }) => accepted);
  expect(asked).toHaveLength(4);
});

test.skipIf(!newer)(
  'the real engine computes it',
  async () => {
    const rig = await openRig({ engine: 'real', acpypeVersion: NEWER, concurrency: 1 });
    const ran = await rig.run(ROWS.slice(0, 2));
    expect(await codes(ran)).toEqual({ '': 2 });
    const row = await rowOf(ran, 'asked');
    expect(row['engine_version']).toBe(NEWER);
    await keepsPromises(rig, ran);
  },
  180_000,
);
