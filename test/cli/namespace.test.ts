/** Namespaces of a server of your own, and what `hundredfold doctor` finds there, against the suite's server, behind a gateway. */
import { randomUUID } from 'node:crypto';
import { msToTs } from '@temporalio/common/lib/time.js';
import { expect, inject, test } from 'vitest';
import { connectClient } from '../../src/temporal/connection.ts';
import { startGateway, type Refusal } from '../temporal/grpc-gateway.ts';
import { expectPrepared, findingsOf } from '../cluster/create-namespace.ts';
import { desk } from './command.ts';

/** temporal.api.enums.v1.IndexedValueType */
const INT = 3;
const NOT_YOURS: Refusal = { code: 7, details: 'Request unauthorized.' };

function configured(address: string, namespace: string) {
  const at = desk();
  at.write('hundredfold.yaml', `temporal: { address: "${address}", namespace: ${namespace} }\n`);
  return at;
}

test('a namespace that the Temporal CLI creates has everything that campaigns need', async () => {
  const place = { address: inject('temporal'), namespace: `n-${randomUUID().slice(0, 8)}` };
  await expectPrepared(configured(place.address, place.namespace), place);
});

test('doctor reports an attribute of another type', async () => {
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
  const findings = await findingsOf(at, 1);
  const found = (check: string) => findings.find((one) => one.check === check);
  expect(found('Temporal search attributes')?.code).toBe('TEMPORAL_ATTRIBUTES_REFUSED');
});

test('without the operator service, existing attributes are used', async () => {
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
  // What commands would add exists already.
  await configured(address, 'default').runs(0, ['status']);
});
