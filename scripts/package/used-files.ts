/**
 * The files of the copied packages that the program can load, found by @vercel/nft, which follows imports, `require`,
 * and paths with `__dirname`. The others are half of all files, and npm unpacks a tarball three times to install it.
 */
import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { nodeFileTrace } from '@vercel/nft';

/** Loaded by a path computed at run time: beside its script, where src/report/page/substructure.ts reads it. */
const LOADED_ALL_THE_SAME = ['@rdkit/rdkit/dist/RDKit_minimal.wasm'];
/** Prebuilt for systems on which the program does not run. */
const OTHER_SYSTEMS = /^@temporalio\/core-bridge\/releases\/.*-windows-/;
/** Licences require that they are kept with every copy; `package.json` names the author. */
const KEPT = /^((licen[cs]e|copying|notice).*|package\.json)$/i;

/** Removes all other files from `lib/node_modules` of the package staged at `root`. */
export async function removeUnusedFiles(root: string): Promise<void> {
  const own = filesBelow(join(root, 'lib')).filter(
    (file) => file.endsWith('.js') && !/^(node_modules|report-page)\//.test(file),
  );
  const { fileList } = await nodeFileTrace(
    own.map((file) => join(root, 'lib', file)),
    // Also the files for `require` of packages that we import: another package may require them.
    { base: root, processCwd: root, mixedModules: true },
  );
  const modules = join(root, 'lib', 'node_modules');
  for (const file of filesBelow(modules)) {
    const isUsed = fileList.has(join('lib', 'node_modules', file)) && !OTHER_SYSTEMS.test(file);
    const isKept = KEPT.test(basename(file)) || LOADED_ALL_THE_SAME.includes(file);
    if (!isUsed && !isKept) rmSync(join(modules, file));
  }
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
