/** The names of keys on disk: `remoteId` ↔ `remote_id`. */

export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** For the disk. `own`: values whose keys are no names of ours, such as the user's columns: they stay as they are. */
export function snakeKeys(
  value: object,
  own: ReadonlySet<string> = NONE,
): Readonly<Record<string, unknown>> {
  return renamed(value, snakeCase, own) as Readonly<Record<string, unknown>>;
}

/** The reverse. */
export function camelKeys(value: unknown, own: ReadonlySet<string>): unknown {
  return renamed(value, camelCase, own);
}

const NONE: ReadonlySet<string> = new Set();

function renamed(
  value: unknown,
  rename: (name: string) => string,
  own: ReadonlySet<string>,
): unknown {
  if (Array.isArray(value)) return value.map((one) => renamed(one, rename, own));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => {
    const inner: unknown = own.has(name) ? one : renamed(one, rename, own);
    return [rename(name), inner] as const;
  });
  return Object.fromEntries(entries);
}
