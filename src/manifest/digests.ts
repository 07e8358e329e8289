/** Digests of manifests without reading their rows: whether they are still what a campaign was prepared from. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { ManifestDigest } from './check.ts';
import { sourcesOf } from './sources/sources.ts';

/** In the order of `checkManifests`; null if one of them cannot be read, which the check of the rows reports. */
export async function digestsOfManifests(
  paths: readonly string[],
  allowOutside: boolean,
): Promise<readonly ManifestDigest[] | null> {
  const digests: ManifestDigest[] = [];
  for (const given of paths) {
    for await (const source of sourcesOf(given, allowOutside)) {
      if (source.type === 'problem') return null;
      const { name, path } = source.file;
      const sha256 = await digestOf(path);
      if (sha256 === null) return null;
      digests.push({ file: name, sha256 });
    }
  }
  return digests;
}

async function digestOf(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk);
  } catch {
    return null;
  }
  return hash.digest('hex');
}
