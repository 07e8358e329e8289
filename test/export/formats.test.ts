/** What single formats do to their data; their files are in test/goldens/exports.txt. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { exportInMemory, recordedAlignments, recordedSequences, writeTo } from './recorded.ts';

const hasValidator = spawnSync('gt', ['-version']).status === 0;
test.skipIf(!hasValidator)('GFF3: GenomeTools accepts it as valid', async () => {
  const path = join(await temporaryFolder(), 'regions.gff3');
  const proteins = [...recordedSequences(), ...recordedAlignments()];
  await writeFile(path, (await exportInMemory('gff', proteins)).files.get('regions.gff3') ?? '');
  const args = ['gff3validator', '-strict', 'yes', path];
  const { stdout } = await promisify(execFile)('gt', args);
  expect(stdout).toContain('input is valid GFF3');
});

const JARS = process.env['JALVIEW_JARS'] ?? '/usr/share/java';
const READER = join(import.meta.dirname, '../../scripts/export-loaders/ReadTracks.java');
test.skipIf(!existsSync(join(JARS, 'jalview.jar')))(
  'Jalview reads a graph of each residue of each sequence, with its threshold',
  { timeout: 60_000 },
  async () => {
    const folder = await temporaryFolder();
    const items = [...recordedSequences(), ...recordedAlignments()];
    await writeTo(folder, await exportInMemory('jalview', items));
    const read = async (name: string) => {
      const args = ['-Djava.awt.headless=true', '-cp', `${JARS}/*`, READER, name];
      const { stdout } = await promisify(execFile)('java', args, { cwd: folder });
      return stdout.match(/^.*\t.*$/gm)?.map((line) => line.split('\t'));
    };
    const sequence = (await read('one-CYC_PANTR-all5')) ?? [];
    expect(sequence).toContainEqual(['one-CYC_PANTR-all5', 'backbone', '105', 'rigid']);
    expect(sequence).toContainEqual(['one-CYC_PANTR-all5', 'helix', '105', '']);
    const rows = (await read('globins6-all4')) ?? [];
    expect(rows.map(([, ...graph]) => graph.join(' '))).toEqual(
      [141, 141, 146, 146, 153, 153].map((length) => `backbone ${length} rigid`),
    );
  },
);
