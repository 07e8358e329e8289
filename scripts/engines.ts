/**
 * Installs the real engines behind the local services: `npm run engines [-- --only acpype|b2btools]
 * [--check]`. Without root; steps that need root are printed with their commands. Existing engines are not changed.
 */
import { parseArgs } from 'node:util';
import {
  ACPYPE,
  B2BTOOLS,
  check,
  findEnginesFolder,
  install,
  REAL_ENGINES,
  type RealEngineName,
  type Recipe,
  type State,
} from '../packages/local-services/src/engines/install.ts';
import { LocalServicesError } from '../packages/local-services/src/problem.ts';

const RECIPES: Readonly<Record<RealEngineName, Recipe>> = { acpype: ACPYPE, b2btools: B2BTOOLS };

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

function show({ engine, installed, problem, remedy }: State): void {
  if (problem === null && installed !== null) {
    say(`ok       ${engine} ${installed.version} in ${installed.folder}`);
  } else {
    say(`PROBLEM  ${engine}: ${problem ?? ''}`);
    say(`         ${remedy ?? ''}`);
  }
}

/** Each is tried, whether or not the other fails. */
function ready(recipe: Recipe, folder: string): boolean {
  const state = check(recipe, folder);
  if (state.problem === null) {
    show(state);
    return true;
  }
  say(`engines: ${recipe.engine}: ${recipe.size} …`);
  try {
    install(recipe, folder);
  } catch (error) {
    if (!(error instanceof LocalServicesError)) throw error;
    if (error.detail) say(error.detail);
    say(`${error.code}: ${error.message}`);
    say(error.remedy);
    return false;
  }
  const now = check(recipe, folder);
  show(now);
  return now.problem === null;
}

const USAGE = 'npm run engines [-- --only acpype|b2btools] [--check]';

function readOrders(): { recipes: readonly Recipe[]; checkOnly: boolean } | null {
  const options = {
    only: { type: 'string' },
    check: { type: 'boolean', default: false },
  } as const;
  try {
    const { only, check: checkOnly } = parseArgs({ options }).values;
    const names = only === undefined ? REAL_ENGINES : REAL_ENGINES.filter((name) => name === only);
    if (names.length === 0)
      throw new Error(`--only: ${only ?? ''} is none of ${REAL_ENGINES.join(', ')}`);
    return { recipes: names.map((name) => RECIPES[name]), checkOnly };
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    say(USAGE);
    return null;
  }
}

async function main(): Promise<boolean> {
  const orders = readOrders();
  if (orders === null) return false;
  const folder = findEnginesFolder();
  const { recipes, checkOnly } = orders;
  if (checkOnly) {
    const states = recipes.map((recipe) => check(recipe, folder));
    states.forEach(show);
    return states.every(({ problem }) => problem === null);
  }
  return recipes.map((recipe) => ready(recipe, folder)).every(Boolean);
}

process.exitCode = (await main()) ? 0 : 1;
