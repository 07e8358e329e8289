/** Keeps only the declarations that an entry point reaches: compilers read no others, and npm unpacks fewer files. */
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { importsOf } from '../imports.ts';

/**
 * @param folder with compiled code
 * @param entries sources of the entry points, from `folder` and without their ending: `library/index`
 */
export function removeInternalDeclarations(folder: string, entries: readonly string[]): void {
  const reached = new Set(entries.map((entry) => `${entry}.d.ts`));
  for (const file of reached) {
    for (const { target } of importsOf(file, readFileSync(join(folder, file), 'utf8'))) {
      // The compiler keeps `./x.ts` in declarations, and resolves it to `x.d.ts`.
      if (target.endsWith('.ts')) reached.add(target.replace(/(\.d)?\.ts$/, '.d.ts'));
    }
  }
  for (const file of readdirSync(folder, { encoding: 'utf8', recursive: true })) {
    if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(join(folder, file));
  }
}
