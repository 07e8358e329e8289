/**
 * Installs one engine: an environment in its own folder, and finally its record. A folder without a record is
 * incomplete and is created again; one with a record is left unchanged.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BUILT,
  ENGINE_VERSIONS,
  installedEngine,
  RECORD_FILE,
  type Installed,
} from '../real/installed.ts';
import { PLAIN_PATH } from '../real/work-folder.ts';
import { LocalServicesError } from '../../problem.ts';
import { aptLine, type Recipe } from './recipes.ts';
import { makeEnvironment, packagesIn, pipInstall } from './python.ts';

export interface State {
  readonly engine: Recipe['engine'];
  readonly installed: Installed | null;
  /** Why it cannot be used; null if it can. */
  readonly problem: string | null;
  readonly remedy: string | null;
}

/** The package contains no installer: few users need engines, and can use those of a checkout. */
const FROM_A_CHECKOUT =
  'npm run engines in a checkout of hundredfold, then HUNDREDFOLD_ENGINES=FOLDER here (docs/engines.md)';

/** Changes nothing; runs an installed engine. */
export function check(recipe: Recipe, folder: string): State {
  const installed = installedEngine(recipe.engine, folder);
  const missing = recipe.needs.filter((need) => !need.found());
  const state = { engine: recipe.engine, installed };
  const again = BUILT ? FROM_A_CHECKOUT : `npm run engines -- --only ${recipe.engine}`;
  if (missing.length > 0) {
    const problem = `the system lacks ${missing.map(({ name }) => name).join(', ')}`;
    const then = installed === null ? `${BUILT ? '; ' : ' && '}${again}` : '';
    return { ...state, problem, remedy: `${aptLine(missing)}${then}` };
  }
  if (installed === null) return { ...state, problem: 'not installed', remedy: again };
  const proof = recipe.prove(installed.folder);
  if ('problem' in proof) return { ...state, problem: proof.problem, remedy: again };
  return { ...state, problem: null, remedy: null };
}

/** Installs what is missing according to `check`. Throws a LocalServicesError. */
export function install(recipe: Recipe, folder: string): Installed {
  const place = join(folder, recipe.engine);
  refuseUnusable(recipe, place);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  makeEnvironment(recipe.python, recipe.environmentOptions, place);
  pipInstall(place, recipe.pipArguments);
  const proof = recipe.prove(place);
  if ('problem' in proof) throw unproven(recipe, proof.problem);
  if (proof.version !== ENGINE_VERSIONS[recipe.engine]) {
    throw unproven(recipe, `it is version ${proof.version}`);
  }
  const record: Installed = {
    engine: recipe.engine,
    version: proof.version,
    folder: place,
    packages: packagesIn(place),
  };
  const draft = join(place, `${RECORD_FILE}.new`);
  writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`);
  renameSync(draft, join(place, RECORD_FILE));
  return record;
}

function refuseUnusable({ engine, architectures, needs }: Recipe, place: string): void {
  const fits = architectures?.includes(process.arch) ?? true;
  if (process.platform !== 'linux' || !fits) {
    const wanted = architectures === undefined ? '' : ` on ${architectures.join(' or ')}`;
    throw new LocalServicesError(
      'ENGINES_PLATFORM',
      `${engine} runs under Linux${wanted}; this is ${process.platform} on ${process.arch}.`,
      'Use the recorded engine here, or another machine, virtual or not.',
    );
  }
  // The engines use their own paths in shell commands.
  if (!PLAIN_PATH.test(place)) {
    throw new LocalServicesError(
      'ENGINES_PATH',
      `${engine} does not run from ${place}: the path has spaces or special characters.`,
      'Choose another folder for the engines: HUNDREDFOLD_ENGINES=/some/folder, here and when you start the services.',
    );
  }
  const missing = needs.filter((need) => !need.found());
  if (missing.length > 0) {
    throw new LocalServicesError(
      'ENGINES_SYSTEM',
      `${engine} needs these system packages: ${missing.map(({ name }) => name).join(', ')}.`,
      `Only root can install them. On Debian and Ubuntu, run this and start again:\n    ${aptLine(missing)}`,
    );
  }
}

function unproven({ engine }: Recipe, why: string): LocalServicesError {
  return new LocalServicesError(
    'ENGINES_UNUSABLE',
    `${engine} was installed but does not run correctly: ${why}.`,
    'Start again; if the problem remains, check whether the folder is on a file system mounted noexec.',
  );
}
