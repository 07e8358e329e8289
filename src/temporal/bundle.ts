/**
 * The workflow bundle: all workflow code in one file, built at set-up to make starts faster. It is named after the digest
 * of its sources, so a stale one is never used.
 *
 * The same digest names a version of the program in the Worker Deployment of a task queue, where versions run side by side:
 * one is current, new campaigns start on it, and open ones move to it.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HundredfoldError } from '../domain/errors.ts';
import {
  BUILT,
  BUILT_FOLDER as DIST,
  CODE_FOLDER as SOURCE,
  resolveModule,
  readProgramVersion,
} from '../program.ts';
import type { Client } from '@temporalio/client';
import type { WorkflowBundlePath } from '@temporalio/worker';
import { hasStatus, findStatus } from './grpc-status.ts';

/** Written when the package, which lacks the sources, is built: the digest in the names of its bundles. */
export const DIGEST_FILE = 'workflows.json';
/** The module that converts failures if payloads are encoded. */
export const FAILURE_CONVERTER = fileURLToPath(
  resolveModule('../workflows/failure-converter', import.meta.url),
);

/** What workflow code may import: see the layers in scripts/layers.ts. */
const FOLDERS = ['workflows', 'budget', 'domain'];

/**
 * The path of a bundle that matches the sources, built if there is none.
 * @param failureConverterPath converts failures in the workflow code: that of a codec, which most workers do not have
 */
export async function loadWorkflowBundle(
  failureConverterPath?: string,
): Promise<{ codePath: string }> {
  const kind = failureConverterPath === undefined ? '' : '-encoded';
  const codePath = join(DIST, `workflows-${bundleDigest()}${kind}.js`);
  if (existsSync(codePath)) return { codePath };
  if (BUILT) throw createIncompleteError(codePath);
  await writeBundle(codePath, failureConverterPath);
  return { codePath };
}

async function writeBundle(
  codePath: string,
  failureConverterPath: string | undefined,
): Promise<void> {
  const workflowsPath = join(SOURCE, 'workflows', 'index.ts');
  // Loaded only here: it takes half a second, and commands use this module for the digest.
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    ...(failureConverterPath !== undefined && { failureConverterPath }),
    preloadModules: [workflowsPath],
    logger: new DefaultLogger('ERROR', () => undefined),
  });
  await mkdir(DIST, { recursive: true });
  // Two commands may build at the same time: each writes its own file, the last rename wins, both are the same.
  const temporary = `${codePath}.${process.pid}`;
  await writeFile(temporary, code);
  await rename(temporary, codePath);
  for (const file of await readdir(DIST)) {
    const [, digest] = /^workflows-([0-9a-f]+)(?:-encoded)?\.js$/.exec(file) ?? [];
    if (digest !== undefined && digest !== bundleDigest())
      await rm(join(DIST, file), { force: true });
  }
}

/** The same for the same workflow code and SDK. */
export function bundleDigest(): string {
  if (BUILT) return readBuiltDigest();
  const hash = createHash('sha256');
  const { version } = createRequire(import.meta.url)('@temporalio/workflow/package.json') as {
    version: string;
  };
  hash.update(version);
  for (const folder of FOLDERS) {
    const files = readdirSync(join(SOURCE, folder), { encoding: 'utf8', recursive: true });
    for (const file of files.filter((name) => name.endsWith('.ts')).sort()) {
      hash.update(`\n${folder}/${file}\n`).update(readFileSync(join(SOURCE, folder, file)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

function readBuiltDigest(): string {
  const file = join(DIST, DIGEST_FILE);
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { digest: string }).digest;
  } catch (cause) {
    throw createIncompleteError(file, cause);
  }
}

/** Nothing is built in an installed package: it may belong to another user, or be read-only. */
function createIncompleteError(file: string, cause?: unknown): HundredfoldError {
  return new HundredfoldError(
    'PACKAGE_INCOMPLETE',
    `a file of the installation is missing: ${file}`,
    'Install hundredfold again.',
    { cause },
  );
}

/* Versions side by side */

/** The version of a worker. */
export interface Build {
  readonly deployment: string;
  readonly id: string;
  /** Its workflows; default: those of this program. */
  readonly bundle?: WorkflowBundlePath;
}

/** The build of this program: the workflow code decides whether two builds can take over from each other. */
function describeBuild(deployment: string): Build {
  return { deployment, id: `${readProgramVersion()}-${bundleDigest()}` };
}

/**
 * The version to register a worker under. null if the server is too old for Worker Deployments or has disabled them: a
 * worker that requests one there would never get a task.
 */
export async function chooseBuild(client: Client, deployment: string): Promise<Build | null> {
  const { namespace } = client.options;
  try {
    const asked = { namespace, deploymentName: deployment };
    await client.workflowService.describeWorkerDeployment(asked);
  } catch (error) {
    // If they are disabled (system.enableDeploymentVersions), server 1.32 reports a lack of permission.
    const isOff = /disabled/.test(findStatus(error)?.details ?? '');
    if (hasStatus(error, 'unimplemented') || (isOff && hasStatus(error, 'permissionDenied')))
      return null;
    // No worker of it has ever run.
    if (!hasStatus(error, 'notFound')) throw error;
  }
  return describeBuild(deployment);
}
