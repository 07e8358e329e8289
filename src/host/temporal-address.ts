/** A configured Temporal. */
import type { CodecKeys } from '../config/codec.ts';
import type { TemporalSettings } from '../config/temporal.ts';
import type { TemporalAddress } from '../temporal/connection.ts';
import type { Credentials } from '../temporal/renewal.ts';

/** In the form that connections take. */
export function temporalAddress(
  settings: TemporalSettings,
  codec: CodecKeys | null,
): TemporalAddress {
  const { address, namespace, metadata, reread } = settings;
  return {
    address,
    namespace,
    metadata,
    codec,
    ...credentialsOf(settings),
    ...(reread && { reread: () => credentialsOf(reread()) }),
  };
}

function credentialsOf({ apiKey, tls }: Pick<TemporalSettings, 'apiKey' | 'tls'>): Credentials {
  return { ...(apiKey && { apiKey: apiKey.reveal() }), ...(tls && { tls }) };
}
