/**
 * All that the command line imports of this folder (scripts/layers.ts): the public API, and what only a terminal needs.
 * The package exports index.ts, whose names are documented and stay.
 */
export * from './index.ts';
export { type ListedJob, chooseAdoptedName, listRemoteJobs } from './adopt.ts';
export { listNotNotified, openCampaign } from './campaign.ts';
export { endCampaign } from './control.ts';
export {
  type CampaignLine,
  describeCampaign,
  findCampaign,
  findRunCommand,
  findTreeElsewhere,
  listCampaigns,
  readCampaignLine,
  readRemembered,
  runCommand,
} from './find.ts';
export { listNotices } from './follow.ts';
export { type ServiceForecast, estimateDisk, findEnd, estimateEnd, sumJobs } from './forecast.ts';
export { chooseRows } from './intake.ts';
export { type OpenItem, listItemLines, readOpenItems } from './items.ts';
export { type Observed, observe, openDocument } from './observe.ts';
export { readFreeSpace } from './obstacles.ts';
export { type Planned, canBeCharged, planCampaign } from './plan.ts';
export { openSource } from './pull.ts';
export {
  HOST_TIMEOUT_MS,
  type LogLine,
  formatAccounts,
  logToWorkerLog,
  lookInSession,
  readSettings,
  readWorkerLog,
  viewLedger,
  waitForAnswer,
} from './session.ts';
export type { Forecast } from './start.ts';
export {
  ADD_A_LANE,
  type ComparedLane,
  compareSamples,
  type PreparedComparison,
  prepareComparison,
  prepareProbes,
  type Sample,
} from './samples.ts';
export type { Survey } from './survey.ts';
export { openTreeIfAny, requireTree } from './tree.ts';

export type { Row } from './conformance/answers.ts';
export type { Conformance } from './conformance/conform.ts';
/** Only `doctor --service` needs it. */
export const loadConformanceKit = () => import('./conformance/conform.ts');
