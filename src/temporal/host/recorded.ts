/** Which rows the local services can answer from recordings: the others would fail. */
import { SERVICES } from '../../../packages/local-services/src/contract.ts';
import { isRecorded } from '../../../packages/local-services/src/recorded-submission.ts';
import type { Item } from '../../domain/item.ts';
import { findServiceOfKind } from '../../services/registry.ts';
import { parseConfig } from '../../services/service.ts';

/** As both services require it. */
const TOKEN = { token: '0'.repeat(10) };

export function isAnsweredLocally({ kind, options, input, title }: Item): boolean {
  const service = findServiceOfKind(kind);
  // That of a plugin answers itself.
  if (!SERVICES.some((name) => name === service.name)) return true;
  const job = { kind, options, input, title, name: 'plan', email: null };
  const request = service.submit.request[kind]?.(job, parseConfig(service, {}));
  if (request?.body === undefined || !('json' in request.body) || 'link' in request) return true;
  return isRecorded(request.path.join('/'), Object.assign({}, request.body.json, TOKEN));
}
