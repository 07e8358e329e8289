/**
 * The overhead of the service around a real engine: CPU time of the service's process over that of the processes that
 * it started, for jobs over HTTP that are polled once a second.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { installedEngine } from '../src/local-services/engines/real/installed.ts';

const BIN = fileURLToPath(new URL('../bin/hundredfold.js', import.meta.url));
/** Linux counts CPU time in hundredths of a second (USER_HZ). */
const TICKS = 100;

const SMILES = [
  ...['CCO', 'CC(=O)NC', 'Nc1ccc(F)cc1', 'COCCO', 'c1ccncc1', 'CC(C)=O', 'OC(=O)c1ccccc1'],
  ...['CC(=O)Oc1ccccc1C(=O)O', 'Cn1cnc2c1c(=O)n(C)c(=O)n2C', 'NS(=O)(=O)c1ccc(N)cc1'],
];

interface Spent {
  /** CPU seconds of the service, and of all processes that it started and that have ended. */
  readonly service: number;
  readonly engine: number;
}

/** proc(5): after the name in brackets, fields 14 to 17 are utime, stime, cutime and cstime. */
function spent(pid: number): Spent {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system, usersBelow, systemBelow] = fields.slice(11, 15).map(Number);
  return {
    service: ((user ?? 0) + (system ?? 0)) / TICKS,
    engine: ((usersBelow ?? 0) + (systemBelow ?? 0)) / TICKS,
  };
}

async function serve(folder: string): Promise<{ service: ChildProcess; url: string }> {
  const args = ['services', '--port', '0', '--database', join(folder, 'services.db')];
  const service = spawn(process.execPath, [BIN, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    service.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const found = /molecules: +(http\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    service.once('exit', () => {
      reject(new Error(`the services did not start:\n${said}`));
    });
  });
  return { service, url };
}

async function submit(url: string, smiles: string, n: number): Promise<string> {
  const options = { charge_method: 'bcc', net_charge: null, atom_type: 'gaff2', email: null };
  const what = { inputFile: null, smiles, file_name: `bench_${n}`, token: 'benchmark1' };
  const answer = await fetch(`${url}/api`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...what, ...options }),
  });
  const { hash_id: id } = (await answer.json()) as { hash_id: string };
  return `${url}/api/queue/${id}/`;
}

async function untilDone(address: string): Promise<void> {
  for (;;) {
    const answer = await fetch(address);
    const body = await answer.text();
    if (answer.status === 200) {
      if (!body.includes('"mol2"')) throw new Error(`a job failed: ${body.slice(0, 400)}`);
      return;
    }
    await sleep(1_000);
  }
}

/** `npm run bench:engines -- molecules`. */
async function molecules(): Promise<string> {
  if (installedEngine('acpype') === null) return 'ACPYPE is not installed: npm run engines';
  const folder = mkdtempSync(join(tmpdir(), 'hundredfold-bench-'));
  const { service, url } = await serve(folder);
  try {
    const pid = service.pid ?? 0;
    const before = spent(pid);
    const addresses = await Promise.all(SMILES.map((smiles, n) => submit(url, smiles, n)));
    await Promise.all(addresses.map(untilDone));
    const after = spent(pid);
    const around = after.service - before.service;
    const engine = after.engine - before.engine;
    const share = ((100 * around) / engine).toFixed(1);
    const each = (around / SMILES.length).toFixed(3);
    return `${SMILES.length} molecules: engine ${engine.toFixed(1)} s CPU, service around it ${around.toFixed(2)} s: ${share} %, ${each} s a job`;
  } finally {
    service.kill('SIGTERM');
    await once(service, 'exit');
    rmSync(folder, { recursive: true });
  }
}

export const engineCases: Readonly<Record<string, () => Promise<string>>> = { molecules };
