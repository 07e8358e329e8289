/** Documents and files without what differs from run to run: times, ids of jobs, folders, versions, credentials. */
import { createHash } from 'node:crypto';

/** Fields whose values differ from run to run. */
const CHANGING = new Set(
  [
    ['at', 'sent_at', 'answered_at', 'submitted_at', 'queued_at', 'finished_at', 'since'],
    ['started_at', 'ended_at', 'startedAt', 'endedAt', 'sentAt', 'answeredAt', 'timing'],
    ['startTime', 'endTime', 'dateModified', 'datePublished', 'creation_date', 'timestamp'],
    ['now', 'nextFreeAt', 'releases', 'endsAt', 'progress', 'softwareRequirements'],
    ['remote_id', 'remoteId', 'hash_id', 'location', 'job_name', 'credential', 'versions'],
    ['version', 'engine_version'],
  ].flat(),
);

const CHANGING_TEXT =
  /\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)|\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g;

/** Names of folders, by their paths. */
type Folders = Readonly<Record<string, string>>;

export function nameFolders(text: string, folders: Folders): string {
  return Object.entries(folders).reduce(
    (changed, [folder, name]) => changed.replaceAll(folder, name),
    text,
  );
}

export function normaliseText(text: string, folders: Folders): string {
  return nameFolders(text, folders).replaceAll(CHANGING_TEXT, '…');
}

/** The value with `…` for the values of changing fields. */
export function normalise(value: unknown, folders: Folders): unknown {
  if (typeof value === 'string') return normaliseText(value, folders);
  if (Array.isArray(value)) return value.map((one) => normalise(one, folders));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      CHANGING.has(key) && one !== null ? '…' : normalise(one, folders),
    ]),
  );
}

export function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}
