/** Error messages of the file system. */
import { errnoOf, hasErrno } from '../../domain/errno.ts';

/** `ENOENT`, `EACCES`, …; null for anything else. A path with a NUL never exists. */
export function systemErrorCode(error: unknown): string | null {
  if (hasErrno(error, 'ERR_INVALID_ARG_VALUE')) return 'ENOENT';
  return error instanceof Error && 'syscall' in error ? errnoOf(error) : null;
}
