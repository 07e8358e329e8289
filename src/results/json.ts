/** JSON of services that do not show every field: nothing in it is taken for granted. */

/** Parses JSON; undefined where the text is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A JSON object by its keys, or null. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/** Whether all are numbers as JSON has them. */
export function areFinite(values: readonly unknown[]): values is readonly number[] {
  for (const value of values) if (!Number.isFinite(value)) return false;
  return true;
}
