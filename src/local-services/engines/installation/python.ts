/**
 * Python environments, created with Python's own `venv` and its own pip, which uses the user's mirror and proxy
 * settings.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { SetupProblem, commonProblem, lastLines } from '../../../program/problem.ts';

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
  if (made.ok) return;
  throw (
    commonProblem('python3 -m venv', made.text) ??
    new SetupProblem(
      'ENGINES_NO_VENV',
      `${python} cannot make a Python environment.`,
      'Install Python 3 with its venv module (Debian: sudo apt-get install python3-venv), then start again.',
      lastLines(made.text, 6),
    )
  );
}

export function pipInstall(folder: string, args: readonly string[]): void {
  const environment = { ...process.env, PIP_NO_INPUT: '1' };
  const done = outputOf(
    join(folder, 'bin', 'python'),
    // prettier-ignore
    ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--retries', '2', ...args],
    environment,
  );
  if (done.ok) return;
  throw pipProblem(done.text);
}

function pipProblem(text: string): SetupProblem {
  if (/DO NOT MATCH THE HASHES/i.test(text)) {
    return new SetupProblem(
      'ENGINES_HASH_MISMATCH',
      'A downloaded package does not match the pinned one: its SHA-256 differs.',
      'Empty pip’s cache (python3 -m pip cache purge) and start again; if the problem remains, ask the operators of your mirror.',
      lastLines(text),
    );
  }
  const common = commonProblem('pip install', text);
  if (common !== null) return common;
  if (/No matching distribution|Could not find a version/i.test(text)) {
    return new SetupProblem(
      'ENGINES_NO_WHEEL',
      'The package index has no package for this version of Python.',
      'Python 3.9 to 3.13 are supported: put one of these first on PATH, then start again.',
      lastLines(text, 6),
    );
  }
  return new SetupProblem(
    'ENGINES_PIP_FAILED',
    'pip install failed.',
    'Read the output of pip above.',
    lastLines(text),
  );
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
