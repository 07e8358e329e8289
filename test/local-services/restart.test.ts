/** Jobs are stored in an SQLite file: a stop, or a kill, loses nothing that was acknowledged. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  api,
  databaseFile,
  fileSet,
  get,
  MOLECULE,
  postJson,
  start,
  submitMolecule,
  submitSequence,
  TOKEN,
  until,
} from './running-services.ts';

describe('a stop and a restart on the same file', () => {
  test('keeps results, downloads, logs and journal', async () => {
    const database = databaseFile();
    const before = await start({ database });
    const { body: sequence } = await submitSequence(before, { job_name: 'kept' });
    const { body: molecule } = await submitMolecule(before);
    const path = `/online_predictors/api/results/${sequence.request_id}/`;
    const result = await until(before.url + path);
    const record = await until(before.moleculesUrl + molecule.Location);
    const history = await get(`${before.url}${path}history/`);
    await before.close();

    const after = await start({ database });
    expect((await get(after.url + path)).text).toBe(result.text);
    expect((await get(after.moleculesUrl + molecule.Location)).text).toBe(record.text);
    expect((await get(`${after.url}${path}history/`)).text).toBe(history.text);
    const csv = `${after.url}${path}download/?format=csv`;
    expect((await get(csv, { 'X-Service-Token': TOKEN })).status).toBe(200);
    expect(after.journal()).toEqual(before.journal());
    const again = await submitSequence(after, { job_name: 'kept' });
    expect(again.status, 'the name is still taken').toBe(409);
  });

  test('keeps the rolling window', async () => {
    const database = databaseFile();
    const before = await start({ database, limit: 2 });
    await submitSequence(before);
    await submitSequence(before);
    await before.close();
    const after = await start({ database, limit: 2 });
    expect((await submitSequence(after)).status).toBe(429);
  });

  test('runs waiting jobs, and running ones again', async () => {
    const database = databaseFile();
    const before = await start({ database, jobMs: 60_000, concurrency: 1 });
    const { body: running } = await submitSequence(before);
    const { body: waiting } = await submitSequence(before);
    await before.close();

    const after = await start({ database, jobMs: 300, concurrency: 1 });
    const url = `${api(after)}/results/${running.request_id}/`;
    const { body } = await get(url);
    expect(body.attempt).toBe(2);
    expect((await until(url)).status).toBe(200);
    expect((await until(`${api(after)}/results/${waiting.request_id}/`)).status).toBe(200);
    const history = await get(`${url}history/`);
    const states = history.body.history.map((entry) => entry.state);
    expect(states).toEqual(['RUNNING', 'enqueued', 'RUNNING', 'FINISHED']);
    const first = await get(`${api(after)}/results/${waiting.request_id}/history/`);
    expect(first.body.history.map((entry) => entry.state)).toEqual(['RUNNING', 'FINISHED']);
  });

  test('a second service on the same file is refused, with a remedy', async () => {
    const database = databaseFile();
    await start({ database });
    await expect(start({ database })).rejects.toMatchObject({
      code: 'LOCAL_SERVICES_DATABASE',
      remedy: expect.stringContaining('another file'),
    });
  });
});

describe('a kill', () => {
  test('loses no accepted job: each ends after the restart, once', async () => {
    const database = databaseFile();
    const server = fileURLToPath(new URL('../../src/local-services/server.ts', import.meta.url));
    const options = { database, engine: 'synthetic', jobMs: 300, limit: 0 };
    const program = `
      import { startLocalServices } from ${JSON.stringify(server)};
      const services = await startLocalServices(${JSON.stringify(options)});
      process.stdout.write(services.moleculesUrl);`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program]);
    const [url] = (await once(child.stdout, 'data')) as [Buffer];
    const acknowledged: string[] = [];
    // Handled from the start: the kill rejects them before they are awaited.
    const clients = Promise.allSettled(
      Array.from({ length: 4 }, async () => {
        for (;;) {
          const { status, body } = await postJson(`${String(url)}/api`, MOLECULE);
          if (status === 200) acknowledged.push(body.Location);
        }
      }),
    );
    while (acknowledged.length <= 20) await new Promise((resolve) => setTimeout(resolve, 50));
    child.kill('SIGKILL');
    await once(child, 'exit');
    await clients;

    const after = await start({ database, concurrency: 0 });
    for (const location of acknowledged) {
      expect(fileSet(await until(after.moleculesUrl + location))['GMX_top']).toBeDefined();
    }
    const accepted = after.journal().filter((entry) => entry.accepted);
    // A job whose acknowledgement was lost with the process may exist too, at most one per client.
    expect(accepted.length - acknowledged.length).toBeLessThanOrEqual(4);
    expect(accepted.length).toBeGreaterThanOrEqual(acknowledged.length);
  });
});
