/**
 * Whether a result says of itself that nothing was computed: the local services' synthetic engine labels every payload
 * (docs/contract-choices.md). Such a result is good for a test, and must never pass for science later.
 */
const LABEL = /"synthetic":\s*true|\bSYNTHETIC: shape only/;

/** One name without a dot, a loopback address, or one of a private network. */
const LOCAL =
  /^([^.:[\]]+|.+\.localhost|127(\.\d+){3}|10(\.\d+){3}|192\.168(\.\d+){2}|172\.(1[6-9]|2\d|3[01])(\.\d+){2}|\[(::1|f[cd].*)\])$/;

/** Whether the label is believed: a service elsewhere that sends it has not computed what was asked for. */
export function mayBeSynthetic({ hostname }: URL): boolean {
  return LOCAL.test(hostname);
}

export function isSynthetic(result: Uint8Array): boolean {
  return LABEL.test(Buffer.from(result).toString('latin1'));
}
