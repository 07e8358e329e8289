/** The package: from the tarball to the first accepted submission, disk space, and the duration of small commands. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';

const ROOT = join(import.meta.dirname, '..');

interface Place {
  readonly home: string;
  readonly prefix: string;
  readonly env: NodeJS.ProcessEnv;
}

/** An empty home. `HUNDREDFOLD_TARBALL` names an existing tarball. */
function prepare(): Place & { readonly tarball: string; readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'hundredfold-install-'));
  const home = join(folder, 'home');
  mkdirSync(home);
  const prefix = join(folder, 'prefix');
  const path = `${join(prefix, 'bin')}:${process.env['PATH'] ?? ''}`;
  const env = { ...process.env, HOME: home, XDG_CACHE_HOME: join(home, '.cache'), PATH: path };
  delete (env as NodeJS.ProcessEnv)['TEMPORAL_CLI'];
  const packed = process.env['HUNDREDFOLD_TARBALL'];
  const args = [join(ROOT, 'scripts', 'package.ts'), '--out', folder];
  const tarball = packed ?? must(process.execPath, args, env).trim().split('\n').at(-1)!;
  return { folder, home, prefix, env, tarball };
}

function must(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd = ROOT,
): string {
  const run = spawnSync(program, args, { cwd, env, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (run.status === 0) return run.stdout;
  throw new Error(`${program} ${args.join(' ')}\n${run.stdout}\n${run.stderr}`);
}

export async function install(): Promise<string> {
  const { folder, home, prefix, env, tarball } = prepare();
  try {
    const begun = Date.now();
    must('npm', ['install', '--global', '--prefix', prefix, tarball], env);
    const installed = Date.now();
    const first = await untilAccepted(join(home, 'first'), env);
    const fromNothing = first.at - begun;
    const again = await untilAccepted(join(home, 'second'), env);
    const megabytes = Number.parseInt(must('du', ['-sk', prefix], env), 10) * 1.024e-3;
    const version = await median(9, () => timed('hundredfold', ['--version'], env, home));
    const list = await withServer(join(home, 'second'), env, (cwd) =>
      median(5, () => timed('hundredfold', ['list'], env, cwd)),
    );
    return [
      `installed in ${seconds(installed - begun)}, first accepted submission after ${seconds(fromNothing)} with the fetch of the Temporal CLI`,
      `second time after ${seconds(again.at - again.begun)}`,
      `${megabytes.toFixed(0)} MB on the disk`,
      `--version ${version.toFixed(0)} ms, list with a running server ${list.toFixed(0)} ms`,
    ].join('; ');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/**
 * Runs the demo's command in an empty folder. The time of the first accepted job is read from items.csv: the local
 * services keep their database locked while they run.
 */
async function untilAccepted(
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ begun: number; at: number }> {
  mkdirSync(cwd);
  must('hundredfold', ['init'], env, cwd);
  const begun = Date.now();
  must('hundredfold', ['run', 'manifest.csv', '--services', 'local', '--name', 'demo'], env, cwd);
  const items = readFileSync(join(cwd, 'results', 'demo', 'items.csv'));
  const rows = parse<{ submitted_at: string }>(items, { columns: true, bom: true });
  const at = Math.min(...rows.map((row) => Date.parse(row.submitted_at)));
  return { begun, at };
}

/** A background process keeps the server for 15 s after its last campaign. */
async function withServer<T>(
  cwd: string,
  env: NodeJS.ProcessEnv,
  work: (cwd: string) => Promise<T>,
): Promise<T> {
  const rows = Array.from(
    { length: 3 },
    (_, i) => `r${i},MQIFVKTLTGKTITLEVEPSDTIEN${'A'.repeat(i)}`,
  );
  writeFileSync(join(cwd, 'more.csv'), `id,sequence\n${rows.join('\n')}\n`);
  must('hundredfold', ['run', 'more.csv', '--services', 'local', '--detach'], env, cwd);
  try {
    return await work(cwd);
  } finally {
    must('hundredfold', ['stop'], env, cwd);
  }
}

async function timed(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<number> {
  const from = performance.now();
  must(program, args, env, cwd);
  return performance.now() - from;
}

async function median(times: number, measure: () => Promise<number>): Promise<number> {
  const found: number[] = [];
  for (let i = 0; i < times; i += 1) found.push(await measure());
  return found.sort((a, b) => a - b)[Math.floor(times / 2)] ?? Number.NaN;
}
