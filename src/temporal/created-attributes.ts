/**
 * Which search attributes the database of an embedded server was created with. Those that a later version adds to it are
 * known only after the server has read its namespaces again (search-attributes.ts).
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRIVATE_FILE } from '../state/private-folder.ts';

const RECORD = 'attributes.json';

/** Call it before each start of a server on `database`: true if the server knows all of these names from the start. */
export function createdWith(database: string, names: readonly string[], dir: string): boolean {
  const record = join(dir, RECORD);
  try {
    if (!existsSync(database)) writeFileSync(record, JSON.stringify(names), { mode: PRIVATE_FILE });
    const known: unknown = JSON.parse(readFileSync(record, 'utf8'));
    return Array.isArray(known) && names.every((name) => known.includes(name));
  } catch {
    // An older version created the database, or the disk is full.
    return false;
  }
}
