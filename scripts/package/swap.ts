/**
 * `npm pack` reads package.json and files from the project's folder. While it does, the package's own package.json and
 * compiled code are there; afterwards (`postpack`, or the next set-up if npm was killed) those of the checkout are
 * restored.
 */
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WORKFLOW_CODE } from './workflow-code.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MANIFEST = join(ROOT, 'package.json');
/** The checkout's package.json, while that of the package is in its place. */
const ASIDE = join(ROOT, 'dist', 'package.json.of-the-checkout');
const SBOM = join(ROOT, 'sbom.cdx.json');
const LIB = join(ROOT, 'lib');

/** @param staged the folder that `stage` has built */
export function putPackageInPlace(staged: string): void {
  rmSync(LIB, { recursive: true, force: true });
  renameSync(join(staged, 'lib'), LIB);
  cpSync(join(staged, 'sbom.cdx.json'), SBOM);
  rmSync(join(ROOT, WORKFLOW_CODE), { recursive: true, force: true });
  cpSync(join(staged, 'dist'), join(ROOT, 'dist'), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(staged, 'package.json'), 'utf8')) as object;
  writeFileSync(ASIDE, readFileSync(MANIFEST));
  // npm looks the script up again after packing.
  const scripts = { postpack: 'node scripts/package.ts --put-back' };
  const draft = `${MANIFEST}.new`;
  writeFileSync(draft, `${JSON.stringify({ ...manifest, scripts }, null, 2)}\n`);
  renameSync(draft, MANIFEST);
}

/** Does nothing if nothing was swapped. */
export function putCheckoutBack(): void {
  if (existsSync(ASIDE)) renameSync(ASIDE, MANIFEST);
  rmSync(LIB, { recursive: true, force: true });
  rmSync(SBOM, { force: true });
}
