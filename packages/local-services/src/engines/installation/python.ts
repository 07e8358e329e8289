/**
 * Python environments, created with Python's own `venv` and its own pip, which uses the user's mirror and proxy
 * settings.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { LocalServicesError, lastLines } from '../../problem.ts';

interface Said {
  readonly ok: boolean;
  readonly text: string;
}

export function outputOf(
  command: string,
  args: readonly string[],
  environment = process.env,
): Said {
  const run = spawnSync(command, args, {
    encoding: 'utf8',
    env: environment,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (run.error !== undefined) return { ok: false, text: run.error.message };
  return { ok: run.status === 0, text: `${run.stdout}\n${run.stderr}` };
}

/** Creates the environment, with only pip in it. */
export function makeEnvironment(python: string, options: readonly string[], folder: string): void {
  const made = outputOf(python, ['-m', 'venv', ...options, folder]);
  if (!made.ok) throw problemIn(made.text, 'python3 -m venv');
}

export function pipInstall(folder: string, args: readonly string[]): void {
  const environment = { ...process.env, PIP_NO_INPUT: '1' };
  const done = outputOf(
    join(folder, 'bin', 'python'),
    // prettier-ignore
    ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--retries', '2', ...args],
    environment,
  );
  if (!done.ok) throw problemIn(done.text, 'pip install');
}

/** What the output of a failed program says, with a code and a remedy; the first that matches counts. */
const PROBLEMS: readonly (readonly [RegExp, code: string, message: string, remedy: string])[] = [
  [
    /DO NOT MATCH THE HASHES/i,
    'ENGINES_HASH_MISMATCH',
    'a downloaded package does not match the pinned one: its SHA-256 differs',
    'Empty pip’s cache (python3 -m pip cache purge) and start again; if the problem remains, ask the operators of your mirror.',
  ],
  [
    /ENOSPC|No space left on device|EDQUOT|Disk quota exceeded/i,
    'SETUP_DISK_FULL',
    'no space is left on the disk',
    'Free about 1 GB on the disk of the engines and in the temporary folder, then start again.',
  ],
  [
    /EACCES|EPERM|Permission denied|EROFS|Read-only file system/i,
    'SETUP_NO_PERMISSION',
    'a file or folder may not be written',
    'Make the folder of the engines your own (chown), or choose another with HUNDREDFOLD_ENGINES; sudo is not needed.',
  ],
  [
    /EAI_AGAIN|ECONNRE|ETIMEDOUT|name resolution|NewConnectionError|ConnectTimeout|ReadTimeout|ProxyError|Failed to establish|network/i,
    'SETUP_NO_NETWORK',
    'the package index was not reached',
    'Check the network and the proxy or mirror settings of pip, then start again.',
  ],
  [
    /No matching distribution|Could not find a version/i,
    'ENGINES_NO_WHEEL',
    'the package index has no package for this version of Python',
    'Python 3.9 to 3.13 are supported: put one of these first on PATH, then start again.',
  ],
  [
    /ensurepip|No module named venv|ENOENT/i,
    'ENGINES_NO_VENV',
    'it cannot make a Python environment',
    'Install Python 3 with its venv module (Debian: sudo apt-get install python3-venv), then start again.',
  ],
];

function problemIn(text: string, what: string): LocalServicesError {
  const [, code, message, remedy] = PROBLEMS.find(([found]) => found.test(text)) ?? [
    /$/,
    'ENGINES_PIP_FAILED',
    'it failed',
    'Read its output above.',
  ];
  return new LocalServicesError(code, `${what}: ${message}.`, remedy, { detail: lastLines(text) });
}

/** Every package of the environment, and its version. */
export function packagesIn(folder: string): Readonly<Record<string, string>> {
  const listed = outputOf(join(folder, 'bin', 'python'), [
    '-m',
    'pip',
    'list',
    '--format=json',
    '--local',
  ]);
  const start = listed.text.indexOf('[');
  if (!listed.ok || start < 0) throw new Error(`pip list failed: ${lastLines(listed.text)}`);
  const list = JSON.parse(listed.text.slice(start, listed.text.lastIndexOf(']') + 1)) as {
    name: string;
    version: string;
  }[];
  return Object.fromEntries(list.map(({ name, version }) => [name, version]));
}
