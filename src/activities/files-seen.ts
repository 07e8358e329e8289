/**
 * Which files the jobs of a service had. The contract does not say which job has which file, so a 404 may pass, or be
 * final. What another job of the kind had is asked for with the patience of other 404s; what the last job did not have,
 * and none before it, only once. In memory, because it only decides how often to ask: the first jobs of a new worker
 * ask a few times.
 *
 * Rejected: reading it from the items of the campaign, which costs more than those requests.
 */
import type { ArtefactName } from '../domain/outcomes.ts';
import { kindOf } from '../kinds/registry.ts';
import type { RemoteJob } from '../workflows/activity-types.ts';

export class FilesSeen {
  readonly #had = new Map<string, boolean>();

  /** Whether other jobs had it; null if nothing is known. */
  had(job: RemoteJob, artefact: ArtefactName): boolean | null {
    const { kind } = job.item;
    return (
      this.#had.get(keyOf(job, artefact)) ??
      (kindOf(kind).artefacts[artefact]?.presence === 'optional' ? false : null)
    );
  }

  note(job: RemoteJob, artefact: ArtefactName, isThere: boolean): void {
    const key = keyOf(job, artefact);
    // Once a job had it, a job without it is an exception.
    if (isThere || !this.#had.has(key)) this.#had.set(key, isThere);
  }
}

function keyOf({ item, reference }: RemoteJob, artefact: ArtefactName): string {
  return `${reference.service} ${reference.address} ${item.kind} ${artefact}`;
}
