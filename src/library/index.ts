/**
 * Runs campaigns from your own program: does what the command line does, without a terminal (docs/library.md).
 *
 * @packageDocumentation
 */
export { HundredfoldError, type ErrorDetails } from '../domain/errors.ts';
export type { ErrorCode } from '../domain/error-codes/registry.ts';
export type { Kind, ServiceName } from '../domain/item.ts';
export type { Problem, Severity } from '../domain/problem.ts';
export type { CampaignState, FinalState, ItemState, OpenState } from '../domain/states.ts';
export { adopt, type AdoptOptions } from './adopt.ts';
export { Campaign } from './campaign.ts';
export { ManifestRefusedError, type ManifestOptions, type RowOptions } from './checked-rows.ts';
export type { ConfigurationOptions } from './configuration.ts';
export { cancel, pause, resume, type ResumeOptions } from './control.ts';
export { pull, type CopyOptions, type TreeCopy } from './pull-tree.ts';
export type {
  BudgetState,
  CampaignEvent,
  EndedEvent,
  ItemEvent,
  NoticeEvent,
  ProgressEvent,
  UnreachableEvent,
} from './events.ts';
export { openTree, OutputTree, type TreeError, type TreeFile, type TreeItem } from './open-tree.ts';
export { plan, type Plan, type PlannedService, type PlanOptions } from './plan.ts';
export type { CampaignResult, ItemCounts } from './result.ts';
export { retry, type RetryOptions } from './retry.ts';
export {
  type ExportLeftOut,
  type ExportRemark,
  type TreeExport,
  type TreeExportOptions,
} from './tree-export.ts';
export { startCampaign, type StartOptions } from './start-campaign.ts';
export { watch, type WatchOptions } from './watch.ts';
