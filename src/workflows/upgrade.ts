/**
 * When campaigns and budgets continue as new: they run for weeks, and with worker versioning a run stays on the version
 * of the program that it began on. The next run begins on the version that is current.
 */
import { workflowInfo, type ContinueAsNewOptions } from '@temporalio/workflow';

/** The history is long, or the current version is not the one that this run is pinned to. */
export function shouldContinueAsNew(): boolean {
  return workflowInfo().continueAsNewSuggested || isOutdated();
}

/** Always false without worker versioning. */
export function isOutdated(): boolean {
  return workflowInfo().targetWorkerDeploymentVersionChanged;
}

/** Without it the next run would be pinned to the version of this one. */
export function toCurrentVersion(): Pick<ContinueAsNewOptions, 'initialVersioningBehavior'> {
  return isOutdated() ? { initialVersioningBehavior: 'AUTO_UPGRADE' } : {};
}
