/** Several processes of one user, at the same moment, on the ledger and the clock of this machine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Ledger } from '../../src/ledger/ledger.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { ACCOUNT } from './a-ledger.ts';

const PROCESSES = 4;
const LIMIT = 50;

/** Reserves until the window is full and prints the number of grants; every third time it dies in the middle. */
const PROGRAM = `
const { Ledger } = await import(process.argv[1]);
const [folder, name] = process.argv.slice(2);
const ledger = new Ledger({ folder });
const windows = [{ limit: ${LIMIT}, windowMs: 600_000 }];
let taken = 0;
for (let n = 0; ; n += 1) {
  const claim = name + ' ' + n;
  const { type } = ledger.reserve({ ...${JSON.stringify(ACCOUNT)}, claim, windows });
  if (type === 'full') break;
  taken += 1;
  if (n % 3 > 0) ledger.charge(claim, null);
}
console.log(taken);
process.kill(process.pid, 'SIGKILL');
`;

async function run(folder: string, name: string): Promise<number> {
  const ledger = join(import.meta.dirname, '..', '..', 'src', 'ledger', 'ledger.ts');
  const args = ['--input-type=module', '-e', PROGRAM, ledger, folder, name];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await once(child, 'close');
  return Number(printed);
}

test('processes that reserve at the same time share one limit, and no slot is lost or used twice', async () => {
  const folder = await temporaryFolder();
  const names = Array.from({ length: PROCESSES }, (_, n) => `process ${n}`);
  const taken = await Promise.all(names.map((name) => run(folder, name)));
  expect(taken.reduce((sum, one) => sum + one, 0)).toBe(LIMIT);
  const ledger = new Ledger({ folder });
  expect(ledger.list()).toMatchObject([{ ...ACCOUNT, submissions: LIMIT }]);
  ledger.stop();
});
