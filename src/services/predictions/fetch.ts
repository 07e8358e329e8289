/** Downloads what a finished job offers (contract 4.4 to 4.6). */
import type { ArtefactName, FetchOutcome } from '../../domain/outcomes.ts';
import type { RequestOptions } from '../client.ts';
import { download } from '../download.ts';
import type { PredictionsAccess } from './access.ts';

export async function fetch(
  access: PredictionsAccess,
  remoteId: string,
  artefact: ArtefactName,
  { signal }: RequestOptions,
): Promise<FetchOutcome> {
  const common = { http: access.http, signal };
  switch (artefact) {
    case 'result':
      return download({ ...common, url: access.api('results', remoteId, '') });
    case 'history':
      return download({ ...common, url: access.api('results', remoteId, 'history', '') });
    case 'csv':
    case 'metadata':
    case 'distributions':
    case 'json':
    case 'input': {
      // One of the two samples of this call in the contract (4.6) omits `/api/`: if the first path is unknown, the
      // second is tried. It costs one GET, and only at services that follow that sample.
      const headers = { 'x-service-token': access.token };
      const path = ['results', remoteId, 'download', ''] as const;
      const withApi = withFormat(access.api(...path), artefact);
      const first = await download({ ...common, headers, url: withApi });
      if (first.type !== 'absent' || first.status !== 404) return first;
      const withoutApi = withFormat(access.withoutApi(...path), artefact);
      const second = await download({ ...common, headers, url: withoutApi });
      // A page or a failure at a path that may not exist does not replace the answer of the first path.
      return second.type === 'found' ? second : first;
    }
    case 'record':
      return { type: 'absent', status: 404, message: 'the prediction service has no such file' };
  }
}

function withFormat(url: URL, format: string): URL {
  url.searchParams.set('format', format);
  return url;
}
