/**
 * Whether an item is traced, by OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG (OpenTelemetry specification, "General
 * SDK Configuration"). The root of a trace has no parent, so `parentbased_x` is `x`. Every worker makes the same
 * decision.
 */
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-base';

export interface Sampling {
  /** `always_on` if it is missing or not one of the standard ones. */
  readonly sampler: string | undefined;
  /** For `traceidratio`: from 0 to 1. */
  readonly argument: string | undefined;
}

export function isSampled(traceId: string, { sampler = '', argument = '1' }: Sampling): boolean {
  switch (sampler.replace(/^parentbased_/, '')) {
    case 'always_off':
      return false;
    case 'traceidratio': {
      const ratio = Number(argument);
      const wanted = ratio >= 0 && ratio <= 1 ? ratio : 1;
      const { decision } = new TraceIdRatioBasedSampler(wanted).shouldSample(ROOT_CONTEXT, traceId);
      return decision === SamplingDecision.RECORD_AND_SAMPLED;
    }
    default:
      return true;
  }
}
