/** Exports from programs: `tree.export()`, on disk and in a bucket. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeFinishedTree } from '../../bench/finished-tree.ts';
import { openTree } from '../../src/library/index.ts';
import { openStore } from '../../src/store/open-store.ts';
import { WITHOUT_S3, type S3Server } from '../s3-server.ts';
import { serveS3 } from '../s3-suite.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

test('a program exports selected items, and receives the list of omitted ones', async () => {
  const folder = await temporaryFolder();
  await writeFinishedTree(folder, 8);
  const out = await temporaryFolder();
  const tree = await openTree(folder);
  const exported = await tree.export('gromacs', out, {
    wanted: ({ id, kind }) => kind === 'molecule' && id > 'molecule-00004',
  });
  expect(exported).toMatchObject({ out, exported: 2 });
  expect(exported.leftOut).toMatchObject([{ id: 'molecule-00007', code: 'NOT_SUCCEEDED' }]);
  for (const file of exported.files) expect(existsSync(join(out, file)), file).toBe(true);
  await expect(tree.export('xyz', out)).rejects.toMatchObject({ code: 'EXPORT_FORMAT_UNKNOWN' });
});

describe.skipIf(WITHOUT_S3 !== null)(
  `in a bucket${WITHOUT_S3 === null ? '' : ` (skipped: ${WITHOUT_S3})`}`,
  () => {
    let server: S3Server;
    serveS3((started) => {
      server = started;
    });

    test('the exported files are the same as in a folder', { timeout: 60_000 }, async () => {
      const address = `s3://${server.bucket}/results/finished`;
      await writeFinishedTree(address, 4);
      const environment = {
        HUNDREDFOLD_STORE_ENDPOINT: server.access.endpoint,
        HUNDREDFOLD_STORE_REGION: server.access.region,
        HUNDREDFOLD_STORE_PATH_STYLE: 'true',
      };
      const tree = await openTree(address, { environment });
      const folder = await temporaryFolder();
      for (const format of ['gromacs', 'gff']) {
        const there = await tree.export(format, `s3://${server.bucket}/out/${format}`);
        const here = await tree.export(format, join(folder, format));
        expect(there.files).toEqual(here.files);
        const store = await openStore(there.out);
        for (const file of [...there.files, 'export.json']) {
          const text = readFileSync(join(here.out, file), 'utf8');
          expect(await store.readText(file), file).toBe(text);
        }
        // The same again, in the same place.
        expect((await tree.export(format, there.out)).files).toEqual(there.files);
      }
    });
  },
);
