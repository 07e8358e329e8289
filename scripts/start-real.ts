/**
 * `npm run start:real`: the batch `demo-real` through the real engines. The two local services run beside the command,
 * as on a machine of a lab, and the command gets their address like any other.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  findInstalledEngine,
  REAL_ENGINES,
} from '../packages/local-services/src/engines/install.ts';

const ROOT = join(import.meta.dirname, '..');
const BIN = join(ROOT, 'bin', 'hundredfold.js');
/** Apart from `npm start`, whose services answer from recordings. */
const FOLDER = join(ROOT, '.hundredfold', 'real');
/** Always the same: a resumed campaign polls its jobs at the same address. */
const PORT = 18_465;

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

function start(args: readonly string[], stderr: 'pipe' | 'inherit'): ChildProcess {
  const environment = {
    HUNDREDFOLD_MOLECULE_TOKEN: 'local-user',
    HUNDREDFOLD_PREDICTION_TOKEN: 'local-user',
    ...process.env,
    // The charges for these services' jobs are removed with the jobs.
    HUNDREDFOLD_STATE_DIR: join(FOLDER, 'state'),
  };
  return spawn(process.execPath, [BIN, ...args], {
    cwd: ROOT,
    env: environment,
    stdio: ['ignore', 'inherit', stderr],
  });
}

/** Resolves when the services listen; false if they ended instead. Their later log is discarded. */
async function startServices(): Promise<{ services: ChildProcess; listening: boolean }> {
  const services = start(
    // prettier-ignore
    ['services', '--port', String(PORT), '--database', join(FOLDER, 'services.db'), '--retry-after', '1'],
    'pipe',
  );
  const listening = new Promise<boolean>((resolve) => {
    services.once('exit', () => {
      resolve(false);
    });
    services.stderr?.setEncoding('utf8').on('data', (text: string) => {
      const words = text.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
      if (words.length > 0) say(words.join('\n'));
      if (text.includes('Ctrl-C stops')) resolve(true);
    });
  });
  return { services, listening: await listening };
}

function writeConfiguration(): string {
  const url = `http://127.0.0.1:${PORT}`;
  const path = join(FOLDER, 'hundredfold.yaml');
  const lines = [
    '# Written by `npm run start:real`.',
    'services:',
    `  molecules: { url: "${url}/acpype", budget: none }`,
    `  predictions: { url: "${url}" }`,
    `embedded: { dir: ${JSON.stringify(FOLDER)} }`,
    `store: { url: ${JSON.stringify(join(ROOT, 'results'))} }`,
  ];
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

async function exitCode(child: ChildProcess): Promise<number> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode ?? 1;
}

async function main(): Promise<number> {
  const missing = REAL_ENGINES.filter((engine) => findInstalledEngine(engine) === null);
  if (missing.length > 0) {
    const left = missing.length === REAL_ENGINES.length;
    say(
      `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not installed; to install: npm run engines`,
    );
    if (left) return 1;
    say('The other engine computes; what this one would compute is answered from recordings.');
  }
  mkdirSync(FOLDER, { recursive: true });
  const { services, listening } = await startServices();
  if (!listening) return 1;
  // Ctrl-C reaches all three; this one waits for the output of the command.
  process.on('SIGINT', () => undefined);
  try {
    const args = ['run', 'batches/demo-real', '--config', writeConfiguration(), '--yes'];
    return await exitCode(start(args, 'inherit'));
  } finally {
    services.kill('SIGTERM');
    await exitCode(services);
  }
}

process.exitCode = await main();
