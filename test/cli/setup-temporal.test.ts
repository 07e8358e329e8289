/** `hundredfold setup temporal` and `hundredfold doctor --temporal` against the suite's server, behind a gateway. */
import { randomUUID } from 'node:crypto';
import { msToTs } from '@temporalio/common/lib/time.js';
import { expect, inject, test } from 'vitest';
import { connectClient } from '../../src/temporal/connection.ts';
import { startGateway, type Refusal } from '../temporal/grpc-gateway.ts';
import { expectSetUp, findingsOf, setUp } from '../cluster/set-up-expectations.ts';
import { desk } from './command.ts';

/** temporal.api.enums.v1.IndexedValueType */
const INT = 3;
const NOT_YOURS: Refusal = { code: 7, details: 'Request unauthorized.' };

function configured(address: string, namespace: string) {
  const at = desk();
  at.write('hundredfold.yaml', `temporal: { address: "${address}", namespace: ${namespace} }\n`);
  return at;
}

test('a server without the namespace gets everything that campaigns need, once', async () => {
  await expectSetUp(configured(inject('temporal'), `n-${randomUUID().slice(0, 8)}`));
});

test('doctor reports a missing namespace, without a stack trace', async () => {
  const { findings } = await findingsOf(configured(inject('temporal'), 'nobodys'), 1);
  expect(findings).toContainEqual(
    expect.objectContaining({ ok: false, code: 'TEMPORAL_NAMESPACE_MISSING' }),
  );
});

test('a status command in a missing namespace, or without permission, exits with a coded error', async () => {
  const missing = await configured(inject('temporal'), 'nobodys').runs(1, ['status', 'x']);
  expect(missing.stderr).toContain('[TEMPORAL_NAMESPACE_MISSING]');
  expect(missing.stderr).not.toContain('    at ');
  await using gateway = await startGateway(inject('temporal'), {
    refuse: (method) => (method === 'GetSystemInfo' ? null : NOT_YOURS),
  });
  const denied = await configured(`127.0.0.1:${gateway.port}`, 'default').runs(1, ['list']);
  expect(denied.stderr).toContain('[TEMPORAL_PERMISSION_DENIED]');
  expect(denied.stderr).not.toContain('    at ');
});

test('doctor reports a retention that is too short, and an attribute of another type', async () => {
  const namespace = `n-${randomUUID().slice(0, 8)}`;
  const client = await connectClient({ address: inject('temporal'), namespace });
  await client.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs('72 hours'),
  });
  const at = configured(inject('temporal'), namespace);
  await expect
    .poll(() => client.connection.operatorService.listSearchAttributes({ namespace }))
    .toBeTruthy();
  await client.connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries([['Campaign', INT]]),
  });
  await client.connection.close();
  const { findings } = await findingsOf(at, 1);
  const found = (check: string) => findings.find((one) => one.check === check);
  expect(found('Temporal retention')).toMatchObject({
    ok: false,
    code: 'TEMPORAL_RETENTION_SHORT',
  });
  expect(found('Temporal retention')?.found).toContain('3d');
  expect(found('Temporal search attributes')?.found).toContain('Campaign (Int)');
  const { steps } = await setUp(at, 1);
  expect(steps.find(({ step }) => step === 'search attributes')).toMatchObject({
    state: 'refused',
    message: expect.stringContaining('Campaign is Int') as string,
  });
  expect(steps.find(({ step }) => step === 'retention')).toMatchObject({ state: 'done' });
});

test('without the operator service, existing attributes are used and missing ones named', async () => {
  const OPERATOR = [
    'ListSearchAttributes',
    'AddSearchAttributes',
    'RegisterNamespace',
    'UpdateNamespace',
  ];
  await using gateway = await startGateway(inject('temporal'), {
    refuse: (method) => (OPERATOR.includes(method) ? NOT_YOURS : null),
  });
  const address = `127.0.0.1:${gateway.port}`;
  // The suite's server keeps ended workflows for a day.
  const complete = await findingsOf(configured(address, 'default'), 1);
  expect(
    complete.findings.find(({ check }) => check === 'Temporal search attributes'),
  ).toMatchObject({
    ok: true,
    found: expect.stringContaining('access to the operator service is denied') as string,
  });
  // Commands work there as well: what they would add exists already.
  await configured(address, 'default').runs(0, ['list']);
  const lacking = `n-${randomUUID().slice(0, 8)}`;
  const { steps } = await setUp(configured(address, lacking), 1);
  expect(steps[0]).toMatchObject({
    step: 'namespace',
    state: 'refused',
    permission: expect.stringContaining('RegisterNamespace') as string,
    command: expect.stringContaining(`--namespace ${lacking}`) as string,
  });
});

test('without a configured server, setup and --json exit with one error document', async () => {
  const { stdout } = await desk().runs(2, ['setup', 'temporal', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'CONFIG_NO_TEMPORAL' } });
});
