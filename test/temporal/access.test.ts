/** Each refusal by the server has its own error; certificates and servers are real. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { HundredfoldError } from '../../src/domain/errors.ts';
import { registerSearchAttributes } from '../../src/temporal/namespace.ts';
import { connectClient, type TemporalAddress } from '../../src/temporal/connection.ts';
import { connectWorker } from '../../src/temporal/workers.ts';
import { toRefusal } from '../../src/temporal/grpc-status.ts';
import { freePort } from '../../src/temporal/machine.ts';
import { Authority, noOpenssl, type Issued } from './certificates.ts';
import { startGateway, type Gateway } from './grpc-gateway.ts';

const namespace = 'default';

type Credentials = Pick<TemporalAddress, 'apiKey' | 'tls'>;

function connect(port: number, credentials: Credentials = {}, timeoutMs = 1_000) {
  return connectClient({ address: `127.0.0.1:${port}`, namespace, timeoutMs, ...credentials });
}

async function refusal(connecting: Promise<unknown>): Promise<HundredfoldError> {
  return connecting.then(
    () => {
      throw new Error('it was let in');
    },
    (error: unknown) => error as HundredfoldError,
  );
}

describe.skipIf(noOpenssl !== null)('a connection with TLS', () => {
  let ours: Authority;
  let others: Authority;
  let server: Issued;
  let client: Issued;
  let plain: Gateway;
  let secure: Gateway;
  let mutual: Gateway;

  beforeAll(async () => {
    [ours, others] = [new Authority('ours'), new Authority('others')];
    server = ours.issue('DNS:temporal.test,IP:127.0.0.1');
    client = ours.issue('DNS:client');
    plain = await startGateway(inject('temporal'), {});
    secure = await startGateway(inject('temporal'), { tls: server });
    mutual = await startGateway(inject('temporal'), {
      tls: { ...server, ca: ours.cert, requestCert: true, rejectUnauthorized: true },
    });
  });
  afterAll(async () => {
    for (const one of [plain, secure, mutual]) await one[Symbol.asyncDispose]();
    for (const one of [ours, others]) one[Symbol.dispose]();
  });

  test('is made with the right authority, name and client certificate, by clients and workers', async () => {
    const { cert, key } = client;
    const tls = { ca: ours.cert, cert, key, serverName: 'temporal.test' };
    const target = { address: `127.0.0.1:${mutual.port}`, namespace, tls };
    await (await connectClient(target)).connection.close();
    await (await connectWorker(target)).close();
    expect(mutual.clients.length).toBeGreaterThanOrEqual(2);
  });

  test('is refused with words for each reason, and names what to set', async () => {
    const expired = ours.issue('IP:127.0.0.1', { expired: true });
    const foreign = others.issue('DNS:client');
    await using old = await startGateway(inject('temporal'), { tls: expired });
    const ca = ours.cert;
    const refusals: [Gateway, Credentials, RegExp][] = [
      [secure, { tls: { ca: others.cert } }, /is not accepted.*temporal\.tls\.ca/],
      [
        secure,
        { tls: { ca, serverName: 'elsewhere.test' } },
        // The names of the certificate, too.
        /temporal\.test.* temporal\.tls\.serverName/,
      ],
      [old, { tls: { ca } }, /has expired/],
      [mutual, { tls: { ca } }, /requires a client certificate.*temporal\.tls\.cert/],
      [mutual, { tls: { ca, cert: foreign.cert, key: foreign.key } }, /refuses our certificate/],
      [secure, {}, /expects TLS/],
      [mutual, {}, /expects TLS/],
      [plain, { tls: {} }, /does not use TLS/],
    ];
    for (const [{ port }, credentials, words] of refusals) {
      const error = await refusal(connect(port, credentials));
      expect(error).toMatchObject({ code: 'TEMPORAL_TLS' });
      expect(`${error.message} ${error.remedy}`).toMatch(words);
    }
    const target = { address: `127.0.0.1:${secure.port}`, namespace, tls: { ca: others.cert } };
    expect(await refusal(connectWorker(target))).toMatchObject({ code: 'TEMPORAL_TLS' });
  });

  test('is made with an API key that the server accepts, and refused without', async () => {
    await using gateway = await startGateway(inject('temporal'), {
      tls: server,
      refuse: (_, { authorization }) =>
        authorization === 'Bearer right' ? null : { code: 16, details: 'invalid API key' },
    });
    const tls = { ca: ours.cert, serverName: 'temporal.test' };
    await (await connect(gateway.port, { tls, apiKey: 'right' })).connection.close();
    const error = await refusal(connect(gateway.port, { tls, apiKey: 'wrong-key-value' }));
    expect(error).toMatchObject({ code: 'TEMPORAL_UNAUTHENTICATED' });
    expect(`${error.message} ${error.remedy}`).not.toContain('wrong-key-value');
  });
});

test.skipIf(noOpenssl !== null || Number.parseInt(process.versions.node) < 26)(
  'with TLS to an address without a name says that the name is missing',
  async () => {
    using authority = new Authority('ours');
    const tls = authority.issue('IP:127.0.0.1');
    await using gateway = await startGateway(inject('temporal'), { tls });
    const error = await refusal(connect(gateway.port, { tls: { ca: authority.cert } }));
    expect(error).toMatchObject({ code: 'TEMPORAL_UNREACHABLE' });
    expect(error.remedy).toContain('temporal.tls.serverName');
  },
);

describe('a server', () => {
  test('that does not exist is distinguished from one that is not Temporal', async () => {
    const error = await refusal(connect(await freePort(), {}, 1_000));
    expect(error).toMatchObject({ code: 'TEMPORAL_UNREACHABLE' });
    expect(error.message).toContain('nothing listens there');
    const web = createServer((_, response) => response.end('hello'));
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    const { port } = web.address() as AddressInfo;
    expect(await refusal(connect(port, {}, 1_000))).toMatchObject({ code: 'TEMPORAL_UNREACHABLE' });
    web.close();
  });

  test('without the namespace is reported as such, by every call', async () => {
    const client = await connectClient({ address: inject('temporal'), namespace: 'nobodys' });
    const calls = [
      () => client.workflowService.describeNamespace({ namespace: 'nobodys' }),
      () => client.workflow.start('campaign', { workflowId: 'x', taskQueue: 'x' }),
      () => client.workflow.count(),
      () => registerSearchAttributes(client),
    ];
    for (const call of calls) {
      const error = await refusal(call());
      expect(toRefusal(error) ?? error).toMatchObject({ code: 'TEMPORAL_NAMESPACE_MISSING' });
    }
    await client.connection.close();
  });
});
