import { DBOS } from '@dbos-inc/dbos-sdk';
import { items, resultOf, save, submit } from '../client.js';

const retried = { retriesAllowed: true, intervalSeconds: 1, backoffRate: 1.5, maxAttempts: 20 };

/** Each call of the service is a step, so that a recovered workflow continues after the last completed one. */
async function predict(item) {
  const requestId = await DBOS.runStep(() => submit(item), { name: 'submit', ...retried });
  await DBOS.runStep(async () => save(item, await resultOf(requestId)), {
    name: 'fetch',
    ...retried,
  });
}
const workflow = DBOS.registerWorkflow(predict, { name: 'predict' });

const systemDatabaseUrl = process.env.DATABASE_URL;
DBOS.setConfig({ name: 'predictions', systemDatabaseUrl, logLevel: 'warn' });
await DBOS.launch();
const queueName = 'predictions';
await DBOS.registerQueue(queueName, {
  rateLimit: { limitPerPeriod: 20, periodSec: 10 },
  minPollingIntervalMs: 100,
});
const handles = [];
for (const item of items)
  handles.push(await DBOS.startWorkflow(workflow, { queueName, workflowID: item.id })(item));
await Promise.all(handles.map((handle) => handle.getResult()));
await DBOS.shutdown();
