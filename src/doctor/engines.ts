/**
 * What `doctor` reports about the real engines of the local services: they are optional, so a missing one is no
 * problem.
 */
import { ACPYPE } from '../local-services/engines/installation/acpype.ts';
import { B2BTOOLS } from '../local-services/engines/installation/b2btools.ts';
import { check, type State } from '../local-services/engines/installation/install.ts';
import { enginesFolder } from '../local-services/engines/real/installed.ts';
import type { Finding } from './finding.ts';

/** An engine that is installed but does not run is a problem; one that is not installed is not. */
export function engines(): Finding[] {
  return [ACPYPE, B2BTOOLS].map((recipe) => finding(check(recipe, enginesFolder())));
}

function finding({ engine, installed, problem, remedy }: State): Finding {
  const name = `engine ${engine}`;
  if (installed === null) {
    const found = `not installed: the local services answer from recordings (${remedy ?? ''})`;
    return { check: name, ok: true, found };
  }
  const found = `${installed.version} in ${installed.folder}`;
  if (problem === null) return { check: name, ok: true, found };
  return { check: name, ok: false, found: `${found}: ${problem}`, remedy: remedy ?? '' };
}
