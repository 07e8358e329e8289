/** Independent clients against the services: curl, Python's requests, and a schema fuzzer. */
import { execFile, execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { fuzz } from '../../scripts/clients/fuzz.ts';
import { clientPackages } from '../../scripts/clients/python.ts';
import { httpServer, json } from '../services/scripted-server.ts';
import { databaseFile, start } from '../local-services/running-services.ts';

const CLIENTS = join(import.meta.dirname, '..', '..', 'examples', 'clients');
const run = promisify(execFile);

function has(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const curl = has('curl') && has('python3');
const packages = await clientPackages();
const why = packages.type === 'absent' ? ` (skipped: ${packages.reason})` : '';
const folder = packages.type === 'ready' ? packages.folder : '';

describe.skipIf(!curl)(`curl, as the contracts show it${curl ? '' : ' (skipped: no curl)'}`, () => {
  test('downloads the files of a molecule', async () => {
    const services = await start();
    const script = join(CLIENTS, 'molecule.sh');
    const { stdout } = await run(script, [services.moleculesUrl, 'CCO', 'GMX_top']);
    expect(stdout).toMatch(/\[ system \]|moleculetype|SYNTHETIC/i);
  });

  test('uploads a FASTA file and downloads a table', async () => {
    const services = await start();
    const file = databaseFile().replace(/sqlite$/, 'fasta');
    await writeFile(file, '>one\nMKVLAAGIV\n');
    const { stdout } = await run(join(CLIENTS, 'prediction.sh'), [services.url, 'secret', file]);
    expect(stdout).toMatch(/^sequence_id,residue,residue_index,backbone/);
    expect(stdout.trim().split('\n')).toHaveLength(10);
  });
});

describe.skipIf(packages.type === 'absent')(`Python clients${why}`, () => {
  test('requests: a molecule and a sequence', async () => {
    const services = await start();
    const { stdout } = await run(
      'python3',
      [join(CLIENTS, 'services.py'), services.moleculesUrl, services.url],
      { env: { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' } },
    );
    const { files, proteins } = JSON.parse(stdout) as { files: string[]; proteins: string[] };
    expect(files).toHaveLength(19);
    expect(proteins).toEqual(['one']);
  });

  test.each(['moleculesUrl', 'url'] as const)(
    'schemathesis: no 5xx, every answer documented (%s)',
    async (which) => {
      const services = await start({ concurrency: 0, limit: 0, addressLimit: 0 });
      const { passed, report } = await fuzz(folder, services[which], {
        examples: 8,
        seed: 1,
        seconds: 20,
      });
      expect(passed, report).toBe(true);
    },
  );

  test('schemathesis: a form without a required field must be refused', async () => {
    await using server = await formService();
    const { passed, report } = await fuzz(folder, server.url, {
      examples: 8,
      seed: 1,
      seconds: 8,
    });
    expect(passed).toBe(false);
    expect(report).toContain('Schema-violating request accepted');
  });

  test('schemathesis: a boolean in a form is a text, in JSON it is not', async () => {
    const paths = [folder, join(import.meta.dirname, '..', '..', 'scripts', 'clients')].join(':');
    const { stdout } = await run('python3', [join(import.meta.dirname, 'fuzz_failures.py')], {
      env: { ...process.env, PYTHONPATH: paths, PYTHONDONTWRITEBYTECODE: '1' },
    });
    expect(
      JSON.parse(stdout),
      'a boolean, no field and a text in a form; a boolean in JSON',
    ).toEqual([false, true, true, true]);
  });
});

/** A service whose document requires a form with one text field, and which accepts anything. */
function formService() {
  const properties = { token: { type: 'string' } };
  const form = { type: 'object', properties, required: ['token'], additionalProperties: true };
  const content = { 'multipart/form-data': { schema: form } };
  const responses = { 200: { description: 'accepted' }, 400: { description: 'refused' } };
  const post = { requestBody: { required: true, content }, responses };
  const info = { title: 'a form', version: '1' };
  const document = { openapi: '3.1.0', info, paths: { '/form': { post } } };
  return httpServer(({ path, method }, response) => {
    if (path === '/docs/json') return json(response, 200, document);
    if (path !== '/form') return json(response, 404, {});
    if (method !== 'POST') return json(response, 405, {}, { allow: 'POST' });
    json(response, 200, {});
  });
}
