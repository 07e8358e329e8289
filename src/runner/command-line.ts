/**
 * What the command line needs of the use cases besides the public API (index.ts): documents, words and steps in between.
 * The package does not export it. scripts/layers.ts: the command line imports nothing of this folder but these two files.
 */
import type { Service, ServiceConfig } from '../services/service.ts';
import type { Conformance } from './conformance/conform.ts';

export { type ListedJob, type RemoteJobs, chooseAdoptedName, listRemoteJobs } from './adopt.ts';
export { listNotNotified, openCampaign } from './campaign.ts';
export type { Row } from './conformance/answers.ts';
export type { Conformance } from './conformance/conform.ts';
export { endCampaign } from './control.ts';
export { listNotices } from './follow.ts';
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
export { type ServiceForecast, estimateDisk, findEnd, estimateEnd, sumJobs } from './forecast.ts';
export { openTreeIfAny, requireTree } from './tree.ts';
export { chooseRows } from './intake.ts';
export { listItemLines } from './items.ts';
export { type LogLine, formatAccounts, readWorkerLog, viewLedger } from './session.ts';
export { type CampaignObservation, type Observed, observe, openDocument } from './observe.ts';
export { type OpenItem, readFreeSpace, readOpenItems } from './obstacles.ts';
export type { RetrySurvey } from './retry.ts';
export { type Planned, canBeCharged, planCampaign } from './plan.ts';
export { openSource } from './pull.ts';
export {
  HOST_TIMEOUT_MS,
  waitForAnswer,
  lookInSession,
  logToWorkerLog,
  readSettings,
} from './session.ts';
export type { Forecast } from './start.ts';
export {
  ADD_A_LANE,
  type ComparedLane,
  compareSamples,
  type PreparedComparison,
  prepareComparison,
  prepareProbes,
} from './sample.ts';
export type { Survey } from './survey.ts';

/** Loaded only for `doctor --service`. */
export async function tryServiceDefinition(
  service: Service,
  config: ServiceConfig,
): Promise<readonly Conformance[]> {
  const { checkConformance } = await import('./conformance/conform.ts');
  return checkConformance(service, config);
}
