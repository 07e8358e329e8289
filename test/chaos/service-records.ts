/** The services' own records of their jobs, read after they have stopped. */
import { DatabaseSync } from 'node:sqlite';
import type { ServiceName } from '../../src/domain/item.ts';

export interface ServiceJob {
  readonly id: string;
  readonly service: ServiceName;
  readonly state: string;
  /** The fault that affected it when it was accepted. */
  readonly fault: string | null;
  readonly error: string | null;
}

export function readJobs(file: string): ServiceJob[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database.prepare('SELECT id, service, state, fault, error FROM jobs').all();
    return rows as unknown as ServiceJob[];
  } finally {
    database.close();
  }
}
