/** The differences of the earlier variant of the prediction service (contract section 9) in names and answers. */
import {
  EARLIER_NAMES,
  type InputText,
  type Predictor,
  type ShiftsOptions,
} from '../../domain/item.ts';
import { asObject } from '../../results/json.ts';

export type Variant = 'current' | 'earlier';

/** The path between `{base_url}` and the endpoints (contract, opening paragraph, and section 9.1). */
export const API_PATH: Readonly<Record<Variant, readonly string[]>> = {
  current: ['online_predictors', 'api'],
  earlier: ['online-predictors', 'api'],
};

/** Section 9.2. */
export function predictorName(predictor: Predictor, variant: Variant): string {
  return variant === 'earlier' ? (EARLIER_NAMES[predictor] ?? predictor) : predictor;
}

/** Section 9.4: the shift file as multipart; the field's name gives its format. */
export async function shiftsForm(
  fields: Readonly<Record<string, string>>,
  options: ShiftsOptions,
  input: InputText,
): Promise<{ contentType: string; bytes: Uint8Array }> {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.set(key, value);
  form.set('model_class', options.modelClass);
  form.set('original_numbering', String(options.originalNumbering));
  const field = input.name.toLowerCase().endsWith('.nef') ? 'nef_file' : 'nrm_star_file';
  form.set(field, new Blob([input.text], { type: 'text/plain' }), input.name);
  // The runtime's own multipart writer, with a known length: some proxies refuse chunked uploads.
  const encoded = new Response(form);
  return {
    contentType: encoded.headers.get('content-type') ?? 'multipart/form-data',
    bytes: new Uint8Array(await encoded.arrayBuffer()),
  };
}

type EarlierBody =
  | { readonly type: 'running' }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'finished' };

const UNFINISHED = new Set(['running', 'enqueued', 'queued', 'pending', 'started', 'received']);

/** Sections 9.5 and 9.6: the body decides, whatever the status code says. */
export function readEarlierBody(json: unknown): EarlierBody {
  const object = asObject(json);
  if (object === null) return { type: 'finished' };
  const keys = Object.keys(object);
  const error = object['error'];
  if (keys.length === 1 && error !== undefined && error !== null) {
    return { type: 'failed', message: typeof error === 'string' ? error : JSON.stringify(error) };
  }
  const status = object['status'];
  const waits = typeof status === 'string' && UNFINISHED.has(status.toLowerCase());
  return waits && object['results'] === undefined ? { type: 'running' } : { type: 'finished' };
}
