/** Codes of the system's errors (errno(3)), such as `ENOENT`. */

/** Null for anything else. */
export function readErrno(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

export function hasErrno(error: unknown, ...codes: readonly string[]): boolean {
  const code = readErrno(error);
  return code !== null && codes.includes(code);
}
