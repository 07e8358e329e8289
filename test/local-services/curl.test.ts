/** Clients that are not ours against the services: curl, as in examples/clients. */
import { execFile, execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { databaseFile, start } from './running-services.ts';

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
