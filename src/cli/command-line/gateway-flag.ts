/** The value of `--gateway`: a personality of the gateway in front of the local services, and when it misbehaves. */
import { parseDuration } from '../../config/duration.ts';
import { codedError } from '../../domain/errors.ts';
import { GATEWAY_NAMES, type GatewayRule } from '../../local-services/gateway/personalities.ts';

/**
 * `NAME[:AFTER[:FOR]]`, e.g. `firewall-403:5s:30s`: the failure begins AFTER the start and lasts FOR. `none` is a
 * gateway that relays everything: null. Throws `OPTION_INVALID`.
 */
export function readGateway(text: string): GatewayRule | null {
  if (text === 'none') return null;
  const [given = '', after, duration, ...more] = text.split(':');
  const name = GATEWAY_NAMES.find((known) => known === given);
  const afterMs = after === undefined ? 0 : lengthOf(after);
  const forMs = duration === undefined ? undefined : lengthOf(duration);
  if (name === undefined || afterMs === null || forMs === null || more.length > 0) {
    throw codedError('OPTION_INVALID', {
      option: '--gateway',
      value: text,
      expected: `Use NAME, NAME:AFTER or NAME:AFTER:FOR with times such as 5s. The names are none, ${GATEWAY_NAMES.join(', ')}.`,
    });
  }
  return { name, afterMs, ...(forMs === undefined ? {} : { forMs }) };
}

/** In ms; zero is allowed, because a failure may begin immediately. */
function lengthOf(text: string): number | null {
  return /^0(ms|s|m|h|d)?$/.test(text) ? 0 : parseDuration(text);
}
