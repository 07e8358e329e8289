/** A disk that fills up while a campaign runs: the embedded server's database is on it, too. */
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startLocalServices } from '../../packages/local-services/src/server.ts';
import { canMount, PRIVATE_MOUNTS } from '../private-mounts.ts';
import { atMostOneJob } from '../promises.ts';
import { sequences } from '../rig.ts';
import { desk, type Typed } from './command.ts';

/** The folder `disk` is a disk of 60 MB, with the files of the folder above. Ends with all its processes. */
const ON_SMALL_DISK = [
  ...PRIVATE_MOUNTS,
  ...['--pid', '--fork', '--kill-child', '--mount-proc', 'sh', '-ec'],
  'mount -t tmpfs -o size=60m tmpfs disk; cp rows.jsonl hundredfold.yaml disk; cd disk; exec "$@"',
  'sh',
];

/** The first child sees the private disk. */
function diskOf({ pid }: Typed, folder: string): string {
  const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  return `/proc/${child}/root${join(folder, 'disk')}`;
}

/** Writes until nothing more fits. */
function fill(file: string): void {
  const { blocks, bsize } = statfsSync(dirname(file));
  const what = 'bytes of the disk: it must not be that of this machine';
  expect(blocks * bsize, what).toBeLessThan(1e8);
  const ballast = openSync(file, 'w');
  try {
    for (const size of [65_536, 1_024]) while (writeSync(ballast, Buffer.alloc(size)) === size);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(ballast);
  }
}

const ITEMS = 40;

// A campaign of at least 15 s that waits in the middle: its disk is full long before it has ended.
test.skipIf(!canMount)(
  'a disk that is full is named by run, which waits, and continues when there is space (needs private mounts)',
  async () => {
    const options = { engine: 'synthetic', retryAfterSeconds: 1, jobMs: 300 } as const;
    const services = await startLocalServices({ ...options, limit: 10, windowMs: 5_000 });
    onTestFinished(() => services.close());
    const at = desk();
    const rows = sequences(ITEMS).map((row) => JSON.stringify(row));
    at.write('rows.jsonl', rows.join('\n'));
    at.write(
      'hundredfold.yaml',
      `services: { predictions: { url: "${services.url}", budget: { limit: 10, window: 5s } } }`,
    );
    mkdirSync(at.path('disk'));
    const env = { HUNDREDFOLD_PREDICTION_TOKEN: 'small-disk1' };
    const words = ['run', 'rows.jsonl', '--yes', '--json'];
    const run = at.type(words, { env, wrapper: ON_SMALL_DISK });
    await run.says(' waiting');
    const ballast = join(diskOf(run, at.folder), 'ballast');
    fill(ballast);
    // Of the tree or of the embedded server's database: whichever notices first.
    await run.says(' is full');
    rmSync(ballast);
    const { stdout, stderr } = await run.endsWith(0);
    expect(stderr).not.toContain('internal error');
    expect(JSON.parse(stdout)).toMatchObject({ items: { total: ITEMS, succeeded: ITEMS } });
    atMostOneJob(services.journal(), ITEMS);
  },
);
