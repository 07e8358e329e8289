/** Error messages of the file system. */

/** `ENOENT`, `EACCES`, …; null for anything else. A path with a NUL never exists. */
export function systemErrorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string')
    return null;
  if (error.code === 'ERR_INVALID_ARG_VALUE') return 'ENOENT';
  return 'syscall' in error ? error.code : null;
}
