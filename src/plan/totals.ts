/** Totals of a plan. Pure. */
import { kindNames, kindOf } from '../kinds/registry.ts';
import type { ServiceForecast } from './forecast.ts';
import type { Survey } from './survey.ts';

/** Jobs that have to be submitted, of all kinds. */
export function jobsOf({ jobs }: Survey): number {
  return kindNames().reduce((sum, kind) => sum + (jobs[kind] ?? 0), 0);
}

/** Size of the files that will be written, in bytes. */
export function diskEstimate({ kinds, ended, rows }: Survey): number {
  const all = kindNames().reduce(
    (sum, kind) => sum + (kinds[kind] ?? 0) * kindOf(kind).estimate.bytes,
    0,
  );
  return rows === 0 ? 0 : Math.round((all * (rows - ended)) / rows);
}

/** The jobs of each service as documents show them; `endsAt` in ISO 8601. */
export function plannedServices(forecasts: readonly ServiceForecast[]) {
  return forecasts.map(({ service, jobs, free, endsAt }) => ({
    service,
    jobs,
    free,
    endsAt: isoEnd(endsAt),
  }));
}

/** In ISO 8601; null if nothing has to be submitted, or if it can never end. */
export function isoEnd(at: number | null): string | null {
  return at !== null && Number.isFinite(at) ? new Date(at).toISOString() : null;
}

/** When the last service will finish; null if nothing has to be submitted. */
export function endOf(forecasts: readonly ServiceForecast[]): number | null {
  return forecasts.length === 0 ? null : Math.max(...forecasts.map(({ endsAt }) => endsAt));
}
