/**
 * Finds shared libraries of the system by name, in the loader's folders: engines need some that pip does not install.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Debian's folder for the libraries of an architecture. */
const TRIPLETS: Partial<Record<NodeJS.Architecture, string>> = {
  x64: 'x86_64-linux-gnu',
  arm64: 'aarch64-linux-gnu',
};

function folders(): readonly string[] {
  const triplet = TRIPLETS[process.arch];
  const roots = ['/usr/local/lib', '/usr/lib', '/lib'];
  return [
    ...(triplet === undefined ? [] : roots.map((root) => join(root, triplet))),
    ...roots,
    '/usr/lib64',
    '/lib64',
  ];
}

/** Absolute path of, for example, `libnetcdf.so.19`; null if the system does not have it. */
export function sharedLibrary(name: string): string | null {
  return (
    folders()
      .map((folder) => join(folder, name))
      .find((path) => existsSync(path)) ?? null
  );
}
