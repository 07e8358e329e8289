/** The sizes of the project, for `npm test -- --all`: whoever adds sees what it costs. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

function text(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function lines(...patterns: readonly string[]): number {
  const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT }));
  return files.reduce((sum, file) => sum + text(file).split('\n').length - 1, 0);
}

function codeIn(folder: string): number {
  return lines(`${folder}/**/*.{ts,tsx,js,jsx,css}`);
}

/** By name, largest questions first. */
export function houseSizes(): Readonly<Record<string, number>> {
  const manifest = JSON.parse(text('package.json')) as Readonly<
    Record<'scripts' | 'dependencies' | 'devDependencies', Readonly<Record<string, string>>>
  >;
  const pages = globSync('docs/**/*.md', { cwd: ROOT }).map((page) =>
    Buffer.byteLength(text(page)),
  );
  return {
    'lines of src': codeIn('src'),
    'lines of packages': codeIn('packages'),
    'lines of test': codeIn('test'),
    'lines of scripts and bench': codeIn('scripts') + codeIn('bench'),
    'KB of docs': Math.round(pages.reduce((sum, bytes) => sum + bytes, 0) / 1_000),
    'npm scripts': Object.keys(manifest.scripts).length,
    dependencies: Object.keys(manifest.dependencies).length,
    'development dependencies': Object.keys(manifest.devDependencies).length,
  };
}
