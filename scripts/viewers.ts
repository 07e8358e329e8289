/**
 * The web viewers that exports are for, as published on npm: downloaded under `.tools/` when a test needs them for the
 * first time. They are not dependencies of the project: Mol* has 17 MB, which one test loads.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

interface Published {
  readonly name: string;
  readonly version: string;
  /** SHA-512 of the tarball, as npm writes it. */
  readonly integrity: string;
  /** The files extracted from it. */
  readonly inside: string;
}

export const MOLSTAR: Published = {
  name: 'molstar',
  version: '5.11.0',
  integrity:
    'sha512-Jv2oHkKoCpzrhqLmGlknepm0pfRsoTDebsGRkvXpbUFb6p+JIAkhLyM3uqV2twC6VR83ZbXtdswOtouPhozpuQ==',
  inside: 'package/build/viewer',
};

const nightingale = (name: string, integrity: string): Published => {
  return {
    name: `@nightingale-elements/nightingale-${name}`,
    version: '5.11.0',
    integrity,
    inside: 'package/dist',
  };
};

/** Each is one file, except for the first, which the others import. */
export const NIGHTINGALE: readonly Published[] = [
  nightingale(
    'new-core',
    'sha512-uNQLqRTHJkid8MybekoAfgdmhOD+K/o7g3du1vD80yMyLhTbT0zVhA1/wZbrjrC8mLw5AICotX0eo5tds+XvTA==',
  ),
  nightingale(
    'track',
    'sha512-J0VrYRxE8azcymT1LQVZGRCPnTlZGGF8+mD6VCmYj4ftRyzj9E2JXtaECaH9BCAGdOfiOamj3H1fbtWIpyT0kQ==',
  ),
  nightingale(
    'linegraph-track',
    'sha512-/PXxYH7Fn9ZwOzK/H/yS5/sOEyyLln8ntDC8hP0gtJwGCLBmt5aRL66EmiuQAwM7A69WU3WQfwMoka+c7N5PYQ==',
  ),
];

const ROOT = join(import.meta.dirname, '..');
const run = promisify(execFile);

/** The folder of the extracted files, or why it is missing, in a few words. */
type Fetched = { readonly folder: string } | { readonly missing: string };

export async function fetchPublished(published: Published, root = ROOT): Promise<Fetched> {
  const { name, version, inside } = published;
  const target = join(root, '.tools', `${name.replace(/.*\//, '')}-${version}`);
  const folder = join(target, inside);
  if (existsSync(folder)) return { folder };
  try {
    await install(published, root, target);
    return { folder };
  } catch (error) {
    return {
      missing: `${name} cannot be fetched: ${(error as Error).message.split('\n')[0] ?? ''}`,
    };
  }
}

/** Atomically: two tests may need it at once. */
async function install(
  { name, version, integrity, inside }: Published,
  root: string,
  target: string,
): Promise<void> {
  const temporary = await mkdtemp(join(root, '.tools', 'viewer-'));
  try {
    const pack = ['pack', `${name}@${version}`, '--silent', '--pack-destination', temporary];
    await run('npm', pack, { cwd: temporary });
    const [file = ''] = await readdir(temporary);
    const tarball = join(temporary, file);
    const digest = createHash('sha512')
      .update(await readFile(tarball))
      .digest('base64');
    if (`sha512-${digest}` !== integrity) throw new Error('the tarball is another one');
    await run('tar', ['xzf', tarball, '-C', temporary, inside]);
    await rename(temporary, target);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
