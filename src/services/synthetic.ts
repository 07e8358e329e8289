/**
 * Whether a result says of itself that nothing was computed: the local services' synthetic engine labels every payload
 * (docs/contract-choices.md). Such a result is good for a test, and must never pass for science later.
 */
const LABEL = /"synthetic":\s*true|\bSYNTHETIC: shape only/;

export function isSynthetic(result: Uint8Array): boolean {
  return LABEL.test(Buffer.from(result).toString('latin1'));
}
