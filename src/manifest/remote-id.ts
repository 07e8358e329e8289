/** `remote_id`: a row's job that already exists at its service (docs/adopting.md). */
import { SERVICE_OF_KIND, type CheckedRow, type InputText, type Kind } from '../domain/item.ts';
import { isUsableId } from '../domain/remote-id.ts';
import { UsedIds } from './ids.ts';
import { complaint, toProblem, type Complaint } from './problems/problems.ts';
import { shown } from './problems/show.ts';

const COLUMN = 'remote_id';

/** Null if it is not a valid id; a complaint then says so. */
export function readRemoteId(value: string, complaints: Complaint[]): string | null {
  if (isUsableId(value)) return value;
  complaints.push(complaint('MANIFEST_REMOTE_ID_INVALID', {}, { column: COLUMN, value }));
  return null;
}

/**
 * Stored in the item's folder in place of an unknown input. It contains the job's id, so that another job is another
 * item (`jobText`) and equal notes never count as equal work.
 */
export function noteOfJob(kind: Kind, remoteId: string): InputText {
  const where = `job ${remoteId} of the service for ${SERVICE_OF_KIND[kind]}`;
  const text = `This item is ${where}. Its input was not given in the manifest.\n`;
  return { name: 'adopted.txt', text };
}

/** Adopted jobs: each once in a campaign. Ids of the two services may be equal. */
export class RemoteIdRegister {
  readonly #used = new UsedIds();

  /** Refuses a row that adopts the job of an earlier row. Call it in row order. */
  claim(row: CheckedRow): CheckedRow {
    const { item, source } = row;
    if (!item?.adopts || source.line === null) return row;
    const { remoteId } = item.adopts;
    const service = SERVICE_OF_KIND[item.kind];
    const name = `${service} ${remoteId}`;
    const used = this.#used.find(name);
    // Case-sensitive at the molecule service, whose ids have their own format; a UUID is case-insensitive.
    if (used === null || (!used.same && service === 'molecules')) {
      this.#used.add(name, { file: source.file, line: source.line });
      return row;
    }
    const first = `${shown(used.place.file)} line ${String(used.place.line)}`;
    const why = complaint(
      'MANIFEST_REMOTE_ID_DUPLICATE',
      { first },
      { column: COLUMN, value: remoteId },
    );
    const problem = toProblem(why, { file: source.file, line: source.line, id: item.id });
    return { ...row, item: null, problems: [...row.problems, problem] };
  }
}
