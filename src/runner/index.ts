/**
 * Runs campaigns from your own program: does what the command line does, without a terminal (docs/library.md).
 *
 * @packageDocumentation
 */

export { HundredfoldError, type ErrorCode, type ErrorOptions } from '../domain/errors.ts';
export type {
  CampaignProgress,
  CampaignState,
  FinalState,
  ItemState,
  Kind,
  OpenState,
  Problem,
  ServiceName,
  Severity,
} from '../domain/campaign.ts';
export type { BudgetStatus } from '../budget/status.ts';
export type { ConfigurationOptions } from './session.ts';

export { plan, type Plan, type PlannedService, type PlanOptions, type Refusal } from './plan.ts';
export type { LaneForecast } from './forecast.ts';
export type { CountedRows } from './survey.ts';
export { ManifestRefusedError, type ManifestOptions } from './intake.ts';
export { startCampaign, type StartOptions } from './start.ts';
export { retry, type RetryOptions } from './retry.ts';
export { adopt, type AdoptOptions } from './adopt.ts';

export { Campaign, watch, type WatchOptions } from './campaign.ts';
export type {
  CampaignEvent,
  EndedEvent,
  ItemEvent,
  NoticeEvent,
  ProgressEvent,
  UnreachableEvent,
} from './follow.ts';
export type { CampaignObservation } from './observe.ts';
export { cancel, type ControlOptions, pause, resume, type ResumeOptions } from './control.ts';

export {
  type CampaignResult,
  openTree,
  OutputTree,
  type TreeExportOptions,
  type TreeFile,
  type TreeItem,
  type TreeReport,
} from './tree.ts';
export type { ItemLine } from './items.ts';
export type { Exported, LeftOutItem, Remark } from '../export/export.ts';
export type { CampaignDocument, ItemCounts } from '../report/campaign-summary.ts';
export type {
  ComparedKind,
  ComparedMeasure,
  ComparedPair,
  Comparison,
} from '../report/comparison.ts';
export type { Fault, Verification } from '../report/verify.ts';
export { pull, type CopyOptions, type TreeCopy } from './pull.ts';
export { doctor, type DoctorOptions, type Finding } from './doctor.ts';
