/**
 * The software bill of materials of the package: CycloneDX by `npm sbom`, from a lock that lists exactly the contents
 * of the package. With the lock of the checkout, `--omit=dev` would omit packages that both tests and the program need.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILD_ONLY, type LockedPackage, type LockedPackages } from './dependencies.ts';

interface Project {
  readonly name: string;
  readonly version: string;
}

const NOTHING: LockedPackage = { version: '' };

/** @param needed paths in the lock */
export function billOfMaterials(
  project: Project,
  packages: LockedPackages,
  needed: readonly string[],
): string {
  const folder = mkdtempSync(join(tmpdir(), 'hundredfold-sbom-'));
  // npm names a project after its folder.
  const place = join(folder, project.name);
  try {
    mkdirSync(place);
    const root = withoutBuildOnly({ ...packages[''], ...project });
    const entries = needed.map(
      (path) => [path, withoutBuildOnly(packages[path] ?? NOTHING)] as const,
    );
    const lock = {
      ...project,
      lockfileVersion: 3,
      packages: { '': root, ...Object.fromEntries(entries) },
    };
    writeFileSync(join(place, 'package.json'), JSON.stringify(root));
    writeFileSync(join(place, 'package-lock.json'), JSON.stringify(lock));
    const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
    const run = spawnSync('npm', args, { cwd: place, encoding: 'utf8', maxBuffer: 2 ** 26 });
    if (run.status === 0) return run.stdout;
    throw new Error(`npm sbom failed:\n${run.stdout}\n${run.stderr}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Only the contents of the package count as dependencies; nothing in it is optional or for development. */
function withoutBuildOnly(entry: LockedPackage): object {
  const all = { ...entry.dependencies, ...entry.optionalDependencies };
  const dependencies = Object.entries(all).filter(([name]) => !BUILD_ONLY.has(name));
  const left = {
    dev: 0,
    devOptional: 0,
    optional: 0,
    peer: 0,
    devDependencies: 0,
    optionalDependencies: 0,
    peerDependencies: 0,
    peerDependenciesMeta: 0,
    engines: 0,
  };
  const kept = Object.entries(entry).filter(([key]) => !(key in left));
  return { ...Object.fromEntries(kept), dependencies: Object.fromEntries(dependencies) };
}
