/** What the methods of the molecule service share. */
import type { Http } from '../http.ts';

export interface MoleculesAccess {
  readonly http: Http;
  /** `{mol_base_url}` */
  readonly base: URL;
  readonly token: string;
  /** Whether jobs are listed on the public page of the service (contract 1.6). */
  readonly public: boolean;
}
