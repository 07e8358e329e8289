/**
 * Two hosts with embedded servers of their own, one token and one bucket: the second is refused, and submits nothing.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startS3, WITHOUT_S3, type S3Server } from '../s3-server.ts';
import { desk, type Desk } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

describe.skipIf(WITHOUT_S3 !== null)('one token at two servers', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startS3();
  });
  afterAll(() => server.stop());

  test('with trees in one bucket: the second is refused', async () => {
    const [one, two] = [desk(), desk()];
    const service = await rehearse(one, { limit: 3, seconds: 4 });
    const store = (prefix: string) =>
      `store: { url: "s3://${server.bucket}/${prefix}", endpoint: "${server.access.endpoint}" }\n`;
    const services = readFileSync(one.path('hundredfold.yaml'), 'utf8');
    one.write('hundredfold.yaml', `${services}\n${store('anna')}`);
    two.write('hundredfold.yaml', `${services}\n${store('bert')}`);
    // On different machines: their ledgers do not see each other.
    const on = (host: Desk) => ({
      env: { ...TOKEN, ...server.environment, HUNDREDFOLD_STATE_DIR: host.path('state') },
    });
    peptides(one, 'night', 4);
    peptides(two, 'day', 4);
    await one.runs(0, ['run', 'night.csv', '--yes'], on(one));
    const { stderr } = await two.runs(2, ['run', 'day.csv', '--yes'], on(two));
    expect(stderr).toContain('TOKEN_LEASED');
    expect(stderr).toContain(one.path());
    expect(stderr).toContain('hundredfold move');
    // The first one continues.
    await one.runs(0, ['run', 'night.csv', '--name', 'again', '--no-cache', '--yes'], on(one));
    expect(await service.end()).toHaveLength(8);
  });
});
