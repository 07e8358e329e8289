/** The command lines that the documentation tells a reader to type. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

export const PAGES = ['README.md', 'CONTRIBUTING.md', 'batches/README.md'].concat(
  globSync('docs/*.md', { cwd: ROOT }).sort(),
);
export const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The commands in the shell blocks of a page, as their words: without comments, redirections and what is around them. */
export function listTyped(page: string): string[][] {
  const blocks = read(page).matchAll(/^```(?:sh|bash|console)\n([\s\S]*?)^```$/gm);
  const lines = [...blocks].flatMap(([, body = '']) => body.split('\n'));
  return lines
    .flatMap((line) => line.replace(/(?:^|\s)#.*$/, '').split(/&&|;|<\(/))
    .map((part) => part.trim().replace(/^(?:exec|npx) /, ''))
    .filter((part) => /^(?:hundredfold|npm) /.test(part))
    .map((part) =>
      part
        .replace(/\)$|\s\d?>.*$/, '')
        .trim()
        .split(/\s+/)
        .map((word) => word.replace(/^'(.*)'$/, '$1')),
    );
}
