/** The activities, each in its own file, with their dependencies injected. */
import type { Activities } from '../workflows/activity-types.ts';
import { ensureBudget, readClock, readFormer, reportToCampaign } from './budget-run.ts';
import { conclude } from './conclude.ts';
import type { Dependencies } from './dependencies.ts';
import { finishJob } from './finish-job.ts';
import { notify, notifyRefusal, publish } from './publish.ts';
import { settleSubmission } from './reconcile-submission.ts';
import { withHeartbeat } from './retry.ts';
import { cancelRunning, checkItems, countOpenJobs, loadPage } from './rows.ts';
import { submit } from './submit.ts';

export function createActivities(deps: Dependencies): Activities {
  return {
    readClock: () => readClock(),
    readFormer: withHeartbeat((...args) => readFormer(deps, ...args)),
    reportToCampaign: (...args) => reportToCampaign(deps, ...args),
    countOpenJobs: (...args) => countOpenJobs(deps, ...args),
    submit: withHeartbeat((...args) => submit(deps, ...args), 'begun'),
    settleSubmission: withHeartbeat((...args) => settleSubmission(deps, ...args)),
    finishJob: (...args) => finishJob(deps, ...args),
    conclude: withHeartbeat((...args) => conclude(deps, ...args)),
    loadPage: withHeartbeat((...args) => loadPage(deps, ...args)),
    ensureBudget: withHeartbeat((...args) => ensureBudget(deps, ...args)),
    checkItems: withHeartbeat((...args) => checkItems(deps, ...args)),
    cancelRunning: withHeartbeat((...args) => cancelRunning(deps, ...args)),
    publish: withHeartbeat((...args) => publish(deps, ...args)),
    notify: withHeartbeat((...args) => notify(deps, ...args)),
    notifyRefusal: withHeartbeat((...args) => notifyRefusal(deps, ...args)),
  };
}
