/** A separate S3 server (versitygw) on a folder. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { findVersitygw } from '../scripts/versitygw.ts';
import type { ObjectStoreAccess } from '../src/store/layout.ts';
import { freePort } from '../src/temporal/machine.ts';
import type { Place } from './cluster/hosts/network.ts';

/** The message of a run without the server. */
export const WITHOUT_S3 =
  findVersitygw() === null
    ? 'versitygw is missing: set VERSITYGW, or install Go and run npm test'
    : null;

export interface S3Server {
  readonly access: Required<ObjectStoreAccess>;
  readonly bucket: string;
  /** The credentials, as the AWS SDK reads them. */
  readonly environment: Readonly<Record<string, string>>;
  readonly client: S3Client;
  /** The folder of the bucket's objects, to damage one without the server. */
  readonly folder: string;
  /** Ends the process at once. */
  kill(): Promise<void>;
  /** After `kill`: on the same folder and port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const BUCKET = 'hundredfold';

/** @param at its host; default: here, at 127.0.0.1 */
export async function startS3(at?: Place): Promise<S3Server> {
  const program = findVersitygw();
  if (program === null) throw new Error(WITHOUT_S3 ?? '');
  const dir = await mkdtemp(join(tmpdir(), 'hundredfold-s3-'));
  await mkdir(join(dir, 'data'));
  const port = await freePort();
  const listen = `${at?.address ?? '127.0.0.1'}:${port}`;
  const access = { endpoint: `http://${listen}`, region: 'us-east-1', pathStyle: true };
  const keys = { accessKeyId: 'hundredfold-test', secretAccessKey: 'a-secret-of-the-test' };
  let running: { kill: () => Promise<void> } | null = null;
  const start = async (): Promise<void> => {
    running = await launch([...(at?.enter ?? []), program], {
      data: join(dir, 'data'),
      listen,
      keys,
    });
  };
  const kill = async (): Promise<void> => {
    await running?.kill();
    running = null;
  };
  await start();
  const client = new S3Client({ ...access, forcePathStyle: true, credentials: keys });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  return {
    access,
    bucket: BUCKET,
    client,
    kill,
    start,
    folder: join(dir, 'data', BUCKET),
    environment: {
      AWS_ACCESS_KEY_ID: keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    stop: async () => {
      client.destroy();
      await kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

interface Launch {
  readonly data: string;
  /** `HOST:PORT` */
  readonly listen: string;
  readonly keys: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

async function launch(
  [program = '', ...words]: readonly string[],
  { data, listen, keys }: Launch,
): Promise<{ kill: () => Promise<void> }> {
  const child = spawn(
    program,
    [...words, '--quiet', '--keep-alive', '--port', listen, 'posix', data],
    {
      stdio: 'ignore',
      env: {
        ...process.env,
        ROOT_ACCESS_KEY: keys.accessKeyId,
        ROOT_SECRET_KEY: keys.secretAccessKey,
      },
    },
  );
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const endWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  const kill = async (): Promise<void> => {
    process.off('exit', endWithUs);
    child.kill('SIGKILL');
    await ended;
  };
  for (let tries = 0; tries < 200; tries += 1) {
    const answer = await fetch(`http://${listen}/`).catch(() => null);
    if (answer) return { kill };
    await delay(50);
  }
  await kill();
  throw new Error('versitygw does not answer');
}
