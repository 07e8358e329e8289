/** When a campaign would end, with the current charges of its budgets. */
import type { BudgetStatus } from '../budget/status.ts';
import type { Policy } from '../budget/policy.ts';
import { defaultPolicy, type ServiceSettings, type UnreadyService } from '../config/services.ts';
import { haveSameBudget } from '../domain/campaign.ts';
import {
  forecast,
  freshAccount,
  type ServiceForecast,
  type Supply,
  supplyOf,
} from '../plan/forecast.ts';
import type { Survey } from '../plan/survey.ts';
import { allServices } from '../services/registry.ts';

/** `budgets`: those that Temporal has; a service without one has charged nothing yet. */
export function forecastCampaign(
  name: string,
  { jobs }: Survey,
  feeds: readonly (ServiceSettings | UnreadyService)[],
  budgets: readonly BudgetStatus[],
  now: number,
): readonly ServiceForecast[] {
  const supplies = feeds.map((feed) => supply(name, feed, budgets));
  // Not configured yet: its contract says what it allows.
  const others = allServices().filter(
    ({ name: service }) => !feeds.some(({ reference }) => reference.service === service),
  );
  const usual = others.map(({ name }) => unused(name, defaultPolicy(name)));
  return forecast(jobs, [...supplies, ...usual], now);
}

/** Of a service without a token. */
const UNKNOWN = '';

function supply(
  name: string,
  feed: ServiceSettings | UnreadyService,
  budgets: readonly BudgetStatus[],
): Supply {
  const { reference, policy } = feed;
  const credential = 'secrets' in feed ? feed.reference.credential : UNKNOWN;
  const kept = budgets.find((one) => haveSameBudget(one, reference));
  const found = kept && supplyOf(kept, credential, name);
  // A credential that this Temporal has not seen yet has charged nothing.
  return found?.account
    ? found
    : { ...unused(reference.service, policy), ...(found && { blockedUntil: found.blockedUntil }) };
}

function unused(service: string, policy: Policy): Supply {
  return { service, account: freshAccount(policy), blockedUntil: null, waiting: [] };
}
