import { expect, test } from 'vitest';
import { createClient } from '../../../src/services/registry.ts';
import { collect } from '../collect.ts';
import { quiet } from '../jobs.ts';
import { acpypeRecording, finishedRecord } from '../recordings.ts';
import { httpServer, json } from '../scripted-server.ts';

const LONG_TOKEN = 'abcde12345';

test('the record is fetched by id, and its token is overwritten without changing the length', async () => {
  const record = {
    ...finishedRecord(acpypeRecording('smi-ethanol-bcc-auto-gaff2')),
    token: LONG_TOKEN,
  };
  const text = JSON.stringify({ ...record, log: `run for ${LONG_TOKEN}\n` });
  await using server = await httpServer((_, response) =>
    json(response, 200, text, { 'content-length': String(Buffer.byteLength(text)) }),
  );
  const client = createClient({
    service: 'molecules',
    url: `${server.url}/acpype`,
    token: LONG_TOKEN,
  });
  const outcome = await client.fetch('h1', 'record', quiet());
  if (outcome.type !== 'found') throw new Error(outcome.message);
  const received = (await collect(outcome.body)).toString();
  await client.close();
  expect(server.requests[0]?.path).toBe('/acpype/api/h1/');
  expect(outcome.contentLength).toBe(text.length);
  expect(received).toBe(text.replaceAll(LONG_TOKEN, '*'.repeat(10)));
});

test('the only artefact is the record of a molecule', async () => {
  const client = createClient({ service: 'molecules', url: 'http://x.invalid', token: LONG_TOKEN });
  expect(client.artefacts('molecule')).toEqual(['record']);
  expect(client.artefacts('sequence')).toEqual([]);
  expect((await client.fetch('h1', 'csv', quiet())).type).toBe('absent');
  await client.close();
});
