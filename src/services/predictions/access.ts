/** What the methods of the prediction service share. */
import type { Http } from '../http.ts';
import type { Variant } from './earlier.ts';

export interface PredictionsAccess {
  readonly http: Http;
  readonly variant: Variant;
  readonly token: string;
  /** An address below `{api_base}`; end with '' for the slash that every path needs (contract 1.6). */
  readonly api: (...segments: readonly string[]) => URL;
  /** The same without the `/api/` segment (contract 4.6). */
  readonly withoutApi: (...segments: readonly string[]) => URL;
}
