/** The activities: thin verbs over injected dependencies. Each has a file of its own. */
import type { Activities } from '../workflows/verbs.ts';
import { conclude } from './conclude.ts';
import type { Dependencies } from './dependencies.ts';
import { fetchArtefact } from './fetch.ts';
import { find } from './find.ts';
import { loadPage } from './pages.ts';
import { poll } from './poll.ts';
import { publish } from './publish.ts';
import { submit } from './submit.ts';
import { ensureBudget, findEnded } from './watch.ts';

export function createActivities(deps: Dependencies): Activities {
  return {
    submit: (...args) => submit(deps, ...args),
    find: (...args) => find(deps, ...args),
    poll: (...args) => poll(deps, ...args),
    fetchArtefact: (...args) => fetchArtefact(deps, ...args),
    conclude: (...args) => conclude(deps, ...args),
    loadPage: (...args) => loadPage(deps, ...args),
    ensureBudget: (...args) => ensureBudget(deps, ...args),
    findEnded: (...args) => findEnded(deps, ...args),
    publish: (...args) => publish(deps, ...args),
  };
}
