/** Errors of `adopt`. The table is in docs/adopting.md. */
import { wording, type ErrorTable } from './error-entry.ts';

export const ADOPT_ERRORS = {
  ADOPT_NOTHING_NAMED: {
    exit: 'refused',
    meaning: 'both ids and `--past`, or in the library an empty list',
    advice: 'give one of the two',
    text: wording<{ service: string }>(
      'give either the ids of the jobs or --past',
      ({ service }) =>
        `hundredfold adopt ${service} ID…   or   hundredfold adopt ${service} --past`,
    ),
  },
  ADOPT_ID_INVALID: {
    exit: 'refused',
    meaning: 'not a valid job id, for example a URL',
    advice: 'give only the id',
    text: wording<{ ids: readonly string[] }>(
      ({ ids }) =>
        `${ids
          .slice(0, 3)
          .map((id) => JSON.stringify(id))
          .join(', ')} cannot be the id of a job`,
      'Give only the request_id or hash_id, without the rest of its URL.',
    ),
  },
  ADOPT_KIND_OF_OTHER: {
    exit: 'refused',
    meaning: '`--kind` is not a kind of this service',
    advice: 'see [manifest.md](manifest.md#kinds)',
    text: wording<{ kind: string; service: string; kinds: readonly string[] }>(
      ({ kind, service }) => `${kind} is not a kind of the service ${service}`,
      ({ kinds }) => `Its kinds are ${kinds.join(', ')}.`,
    ),
  },
  ADOPT_KIND_UNKNOWN: {
    exit: 'refused',
    meaning: 'the past results of your token do not have the job',
    advice: 'use `--kind`; check the id',
    text: wording<{ ids: readonly string[]; notes: readonly string[]; kinds: readonly string[] }>(
      ({ ids, notes }) => {
        const shown = ids.slice(0, 3).join(', ') + (ids.length > 3 ? ', …' : '');
        const why = notes.length > 0 ? ` (${notes.join('; ')})` : '';
        return `the past results of your token do not have ${shown}${why}: its kind is not known`;
      },
      ({ kinds }) => `Set it with --kind (${kinds.join(', ')}), in one command per kind.`,
    ),
  },
  ADOPT_NO_LIST: {
    exit: 'refused',
    meaning: '`--past` for a service that has no list',
    advice: 'give the ids',
    text: wording<{ service: string; notes: readonly string[] }>(
      ({ notes }) => `--past is not possible here: ${notes.join('; ')}`,
      ({ service }) => `Name the jobs: hundredfold adopt ${service} ID…`,
    ),
  },
  ADOPT_LIST_UNAVAILABLE: {
    exit: 'usage',
    meaning: 'the service did not answer',
    advice: 'try again, or run `hundredfold doctor`',
    text: wording<{ service: string; notes: readonly string[] }>(
      ({ service, notes }) =>
        `the past results of ${service} could not be read: ${notes.join('; ')}`,
      'Nothing was started. Try again when the service answers: hundredfold doctor.',
    ),
  },
  ADOPT_MANIFEST_UNREADABLE: {
    exit: 'refused',
    meaning: '`.hundredfold/adopted.jsonl` of the campaign was edited',
    advice: 'correct it, or use `--name`',
    text: wording<{ path: string }>(
      ({ path }) => `${path} was changed or damaged and cannot be read`,
      'Correct the file, or adopt the jobs into another campaign with --name.',
    ),
  },
} as const satisfies ErrorTable;
