/** Which files a job of the prediction service usually has beside its result. The contract (4.6) does not say it. */
import type { Kind } from './item.ts';
import type { ArtefactName } from './outcomes.ts';

/** b2bTools writes no metadata for shifts. */
export function isUsual(kind: Kind, artefact: ArtefactName): boolean {
  return kind !== 'shifts' || artefact !== 'metadata';
}

/** Those that are compared with the result, or name its job. */
export function usualFiles(kind: Kind): readonly ArtefactName[] {
  if (kind === 'molecule') return [];
  const all = ['history', 'csv', 'metadata'] as const;
  const usual = all.filter((artefact) => isUsual(kind, artefact));
  return kind === 'alignment' ? [...usual, 'distributions'] : usual;
}
