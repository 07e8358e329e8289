/** `run --also engines`, where one of the engines is installed, or none. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { listUsedLocals, serveLocally, useEngines } from '../../src/temporal/host/local.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

/** As `npm run engines` leaves it, without the programs. */
async function install(engines: string): Promise<void> {
  const folder = join(engines, 'b2btools');
  await mkdir(folder, { recursive: true });
  const record = { engine: 'b2btools', version: '3.0.9', folder, packages: {} };
  await writeFile(join(folder, 'installed.json'), JSON.stringify(record));
}

test('without an engine nothing is begun, and the folder stays as it was', async () => {
  const dir = await temporaryFolder();
  vi.stubEnv('HUNDREDFOLD_ENGINES', '/nowhere');
  await expect(useEngines(dir)).rejects.toMatchObject({
    code: 'LOCAL_SERVICES_FAILED',
    remedy: expect.stringContaining('docs/engines.md') as string,
  });
  expect(listUsedLocals(dir)).toEqual([]);
});

test('only the service whose engine is installed gets a lane', async () => {
  const [dir, engines] = [await temporaryFolder(), await temporaryFolder()];
  vi.stubEnv('HUNDREDFOLD_ENGINES', engines);
  await install(engines);
  const lanes = await useEngines(dir);
  expect(lanes.map(({ reference }) => reference.service)).toEqual(['predictions']);
  expect(listUsedLocals(dir)).toEqual(['engines']);
  const { services, settings } = await serveLocally(dir, 'engines');
  await services.close();
  expect(settings.map(({ reference }) => reference.service)).toEqual(['predictions']);
  await rm(engines, { recursive: true });
  await expect(serveLocally(dir, 'engines')).rejects.toMatchObject({
    code: 'LOCAL_SERVICES_FAILED',
  });
});
