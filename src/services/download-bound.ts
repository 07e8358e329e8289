/**
 * How large one downloaded file may be: the data of a service must fill neither the memory nor the disk.
 *
 * One bound for every file of a service. Rejected: one for each kind of file, which means six keys that no user would
 * set; and no bound for files that are not checked, which could fill the disk.
 */
import { codedError } from '../domain/errors.ts';
import type { ServiceName } from '../domain/item.ts';
import { DEFAULT_MAX_DOWNLOAD } from '../domain/max-download.ts';

export interface DownloadBound {
  readonly bytes: number;
  /** The key of the configuration that raises it. */
  readonly key: string;
}

export function downloadBound(service: ServiceName, bytes = DEFAULT_MAX_DOWNLOAD): DownloadBound {
  return { bytes, key: `services.${service}.maxDownload` };
}

/** @param seen the announced or received size */
export function tooLarge(where: string, seen: string, { bytes, key }: DownloadBound) {
  return codedError('RESULT_TOO_LARGE', { where, seen, bytes, key });
}
