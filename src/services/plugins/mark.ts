/**
 * Definitions carry a mark by which the exports of a plugin are told apart. A registered symbol: the plugin's copy of this
 * module may be another one than ours.
 */
const MARK = Symbol.for('hundredfold.definition');

export type Marked = 'kind' | 'service';

export function mark<T extends object>(what: Marked, definition: T): T {
  return Object.assign(definition, { [MARK]: what });
}

export function readMark(value: unknown): Marked | null {
  if (typeof value !== 'object' || value === null) return null;
  return ((value as Record<symbol, unknown>)[MARK] as Marked | undefined) ?? null;
}
