/**
 * A rolling-window rate limit for activities of any application: at most L accepted in any W, counted from the answer;
 * durable, shared by all workflows of a namespace, with fair turns, priorities, several credentials and a ceiling for
 * all of them together. Import it in workflow code and in activities; the part for workers and clients is
 * `hundredfold/budget/worker`.
 *
 * @packageDocumentation
 */
export { rollingWindow, GRANTED_CREDENTIAL } from '../workflows/limiter/rolling-window.ts';
export type {
  RollingWindowActivities,
  RollingWindowInput,
} from '../workflows/limiter/rolling-window.ts';
export { proxyLimitedActivities } from '../workflows/limiter/proxy.ts';
export type { LimitedActivities, LimitedActivityOptions } from '../workflows/limiter/proxy.ts';
export type { CallOptions } from '../workflows/limiter/calls.ts';
export {
  isFateUnknown,
  isNotAccepted,
  notAccepted,
  notNow,
  type NotNowOptions,
} from '../workflows/limiter/outcome.ts';
export { keepBudget } from '../workflows/limiter/keep-budget.ts';
export type {
  BudgetName,
  BudgetVerbs,
  BudgetView,
  EndedGrant,
  KeptBudget,
  Messages,
  Refused,
} from '../workflows/limiter/budget-verbs.ts';
export type { SteadyReading } from '../domain/outcomes.ts';
