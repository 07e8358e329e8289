/** deploy/kubernetes as kustomize renders it. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
export const FOLDER = join(ROOT, 'deploy', 'kubernetes');

/** The one installed by `npm run test:containers`, or one on PATH; null if there is none. */
export function tool(place: string): string | null {
  const own = join(ROOT, '.tools', 'containers', place);
  if (existsSync(own)) return own;
  const name = place.split('/').at(-1) ?? '';
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0 ? name : null;
}

export const kustomize = tool('bin/kustomize');

/** @param name of a folder of deploy/kubernetes */
export function rendered(name: string): string {
  const run = spawnSync(kustomize ?? '', ['build', join(FOLDER, name)], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr);
  return run.stdout;
}
