/**
 * What the command line needs of the use cases besides the public API (index.ts): documents, words and steps in between.
 * The package does not export it. scripts/layers.ts: the command line imports nothing of this folder but these two files.
 */
import type { Service, ServiceConfig } from '../services/service.ts';
import type { Conformance } from './conformance/conform.ts';

export { type PastJobs, adoptJobs } from './adopt.ts';
export { brokenOff, notNotified } from './campaign.ts';
export type { Row } from './conformance/answers.ts';
export type { Conformance } from './conformance/conform.ts';
export {
  abandonCampaign,
  endCampaign,
  endFailing,
  pauseCampaign,
  resumeCampaign,
  sendIfOpen,
} from './control.ts';
export { WRONG_ADDRESS } from './doctor-services.ts';
export { noticesOf } from './events.ts';
export {
  type CampaignLine,
  type CampaignTree,
  describeCampaign,
  findCampaign,
  listCampaigns,
  openFolder,
  readCampaignLine,
  requireTree,
  treeIfAny,
} from './find.ts';
export { existsAlready, writeFixes } from './fixes.ts';
export { isUnreplayable, temporalAway } from './follow.ts';
export {
  type EndedJobs,
  LOOK_BACK_MS,
  type ServiceForecast,
  diskEstimate,
  endOf,
  endedLately,
  expectedEnd,
  isoEnd,
  jobsOf,
  plannedServices,
} from './forecast.ts';
export { rebuildReport } from './tree.ts';
export { KeptProblems, rowsToRun } from './intake.ts';
export {
  type ItemFilter,
  type ItemLine,
  type OpenItem,
  itemLines,
  openItems,
  readItemLine,
} from './items.ts';
export { type LogLine, accountLines, readLogs, viewLedger } from './logs.ts';
export { type CampaignObservation, type Observed, observe, openDocument } from './observe.ts';
export { type Planned, freeIn, mayBeCharged, planCampaign } from './plan.ts';
export { pullTree } from './pull.ts';
export { describeTree, findRunCommand, readRemembered, runCommand } from './remembered.ts';
export { type ListedJob, type RemoteJobs, remoteJobs, withServices } from './remote-jobs.ts';
export { type Purpose, answered, inSession, logToWorkerLog, settingsOf } from './session.ts';
export type { Forecast } from './start.ts';
export type { Fate, Survey } from './survey.ts';

/** Loaded only for `doctor --service`. */
export async function tryServiceDefinition(
  service: Service,
  config: ServiceConfig,
  double?: string,
): Promise<readonly Conformance[]> {
  const { conform } = await import('./conformance/conform.ts');
  return conform(service, config, double);
}
