/** Reads JSON without assumptions: services do not document all fields, and files may be damaged. */

/** Parses JSON; undefined if the text is invalid. */
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

/** Whether all values are finite numbers or null. Most lists are, and need no copy: there are millions. */
export function arePlain(values: readonly unknown[]): values is readonly (number | null)[] {
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at];
    // NaN if the number is not finite.
    if (value !== null && (typeof value !== 'number' || value - value !== 0)) return false;
  }
  return true;
}
