/** The thread that makes the result tables. */
import { openFileStore } from '../../store/filesystem.ts';
import { makeResultTables, type OwnColumnsByKind } from '../tables/result-tables.ts';
import { answerCall } from './answer.ts';

export interface TablesWork {
  readonly folder: string;
  readonly own: OwnColumnsByKind;
}

await answerCall(async (work, { heartbeat }) => {
  const { folder, own } = work as TablesWork;
  await makeResultTables(await openFileStore(folder, { blocking: true }), own, { heartbeat });
});
