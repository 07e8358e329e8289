/** An S3 server for the tests of one suite, reachable by this process and by the commands that it starts. */
import { afterAll, beforeAll } from 'vitest';
import { setObjectStoreAccess } from '../src/store/open-store.ts';
import { startS3, type S3Server } from './s3-server.ts';

/** Called where the suite is described; `use` gets the server before the first test. */
export function serveS3(use: (server: S3Server) => void): void {
  let started: S3Server | null = null;
  beforeAll(async () => {
    started = await startS3();
    Object.assign(process.env, started.environment);
    setObjectStoreAccess(started.access);
    use(started);
  });
  afterAll(() => started?.stop());
}
