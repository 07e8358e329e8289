/**
 * Builds what a checkout needs beside its packages: the command for `npx hundredfold`, the workflow bundle (a second of
 * every start) and the report's page. `scripts/ready.sh` runs it, and so every script of npm; what is newer
 * than its sources stays.
 */
import { lstatSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { loadWorkflowBundle } from '../src/temporal/bundle.ts';

const ROOT = join(import.meta.dirname, '..');

/** npm links the commands of dependencies, not those of the project itself. */
function linkCommand(): void {
  const link = join(ROOT, 'node_modules', '.bin', 'hundredfold');
  if (lstatSync(link, { throwIfNoEntry: false }) === undefined)
    symlinkSync(join('..', '..', 'bin', 'hundredfold.js'), link);
}

/** The page, what it imports (scripts/layers.ts), and the versions it is bundled with. */
const SOURCES_OF_PAGE = [
  'packages/report-page',
  'scripts/build-page.ts',
  'src/report/page-data.ts',
  'package-lock.json',
];

function modifiedAt(path: string): number {
  const status = statSync(join(ROOT, path), { throwIfNoEntry: false });
  if (status === undefined) return 0;
  if (!status.isDirectory()) return status.mtimeMs;
  const below = readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' });
  // A folder is modified when a file in it is removed.
  const times = below.map((name) => statSync(join(ROOT, path, name)).mtimeMs);
  return Math.max(status.mtimeMs, ...times);
}

linkCommand();
await loadWorkflowBundle();
if (modifiedAt('dist/report-page/app.js') < Math.max(...SOURCES_OF_PAGE.map(modifiedAt)))
  await import('./build-page.ts');
