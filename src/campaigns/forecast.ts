/** When a campaign would end, with the current charges of its budgets. */
import type { BudgetStatus } from '../budget/status.ts';
import {
  everyCredential,
  PREDICTIONS_LIMIT,
  type ServiceSettings,
  type UnreadyService,
} from '../config/services.ts';
import { haveSameBudget } from '../domain/campaign.ts';
import {
  forecast,
  freshWindow,
  supplyOf,
  type ServiceForecast,
  type Supply,
} from '../plan/forecast.ts';
import { pooled } from '../plan/pooled-windows.ts';
import type { Survey } from '../plan/survey.ts';

/** `budgets`: those that Temporal has; a service without one has charged nothing yet. */
export function forecastCampaign(
  name: string,
  { jobs }: Survey,
  feeds: readonly (ServiceSettings | UnreadyService)[],
  budgets: readonly BudgetStatus[],
  now: number,
): readonly ServiceForecast[] {
  const supplies = feeds.map((feed) => supply(name, feed, budgets));
  const known = feeds.some(({ reference }) => reference.service === 'predictions');
  // Not configured yet: its contract says what it allows.
  const usual = { service: 'predictions', windows: [freshWindow(PREDICTIONS_LIMIT)], waiting: [] };
  return forecast(jobs, known ? supplies : [...supplies, usual], now);
}

/** Of a service without a token: only what is charged to the address counts. */
const UNKNOWN = '';

function supply(
  name: string,
  feed: ServiceSettings | UnreadyService,
  budgets: readonly BudgetStatus[],
): Supply {
  const { reference, limit, addressLimit } = feed;
  const { service } = reference;
  const ours = 'token' in feed ? everyCredential([feed]) : [];
  const credentials = ours.map((one) => one.reference.credential);
  const kept = budgets.find((one) => haveSameBudget(one, reference));
  const found = kept && supplyOf(kept, ours.length > 0 ? credentials : [UNKNOWN], name);
  const own = freshWindow(limit);
  const fresh = [pooled([own, ...ours.slice(1).map(() => own)]), freshWindow(addressLimit)];
  // A credential that this Temporal has not seen yet has charged nothing; its address may have been charged by others.
  if (!found || found.windows.length < fresh.length) {
    return {
      service,
      windows: [...fresh, ...(found?.windows ?? [])],
      waiting: found?.waiting ?? [],
    };
  }
  return found;
}
