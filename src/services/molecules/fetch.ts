/** Downloads the record of a finished job, which contains all files (contract 4.4). */
import type { ArtefactName, FetchOutcome } from '../../domain/outcomes.ts';
import type { RequestOptions } from '../client.ts';
import { download } from '../download.ts';
import { below } from '../target.ts';
import type { MoleculesAccess } from './access.ts';

export async function fetch(
  access: MoleculesAccess,
  remoteId: string,
  artefact: ArtefactName,
  { signal }: RequestOptions,
): Promise<FetchOutcome> {
  if (artefact !== 'record') {
    return { type: 'absent', status: 404, message: 'the molecule service has no such file' };
  }
  return download({
    http: access.http,
    url: below(access.base, 'api', remoteId, ''),
    signal,
  });
}
