/**
 * Whether a result is labelled as not computed: the local services' synthetic engine labels every payload
 * (docs/contract-choices.md). Such a result is good for a test, and must never be mistaken for science later.
 */
import { isOnLocalNetwork } from '../domain/local-host.ts';

const LABEL = /"synthetic":\s*true|\bSYNTHETIC: shape only/;

/** Whether the label is accepted: a remote service that sends it has not computed the requested job. */
export function mayBeSynthetic({ hostname }: URL): boolean {
  return isOnLocalNetwork(hostname);
}

export function isSynthetic(result: Uint8Array): boolean {
  return LABEL.test(Buffer.from(result).toString('latin1'));
}
