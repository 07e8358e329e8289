/** The data converter of clients and workers: with the payload codec of the configuration, if there is one. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { DataConverter, PayloadCodec } from '@temporalio/common';
import { HundredfoldError } from '../domain/errors.ts';
import { resolveModule } from '../program.ts';

/** The module that converts failures if payloads are encoded. */
export const FAILURE_CONVERTER = fileURLToPath(
  resolveModule('../workflows/failure-converter', import.meta.url),
);

/**
 * @param module path of a module of the user's own that exports `payloadCodec`; null: nothing is encoded
 * @throws HundredfoldError `CONFIG_INVALID`
 */
export function loadDataConverter(module: string | null): DataConverter {
  if (module === null) return {};
  const { payloadCodec } = load(module);
  if (payloadCodec)
    return { payloadCodecs: [payloadCodec], failureConverterPath: FAILURE_CONVERTER };
  throw new HundredfoldError(
    'CONFIG_INVALID',
    `temporal.payloadCodec: ${module}: it exports no payloadCodec`,
    'Export a PayloadCodec of the Temporal SDK under the name payloadCodec (docs/cluster.md).',
  );
}

function load(module: string): { readonly payloadCodec?: PayloadCodec } {
  try {
    return createRequire(import.meta.url)(module) as ReturnType<typeof load>;
  } catch (cause) {
    throw new HundredfoldError(
      'CONFIG_INVALID',
      `temporal.payloadCodec: ${module}: ${String(cause)}`,
      'Export a PayloadCodec of the Temporal SDK under the name payloadCodec (docs/cluster.md).',
      { cause },
    );
  }
}
