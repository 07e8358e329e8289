/** Default maximum bytes of one downloaded file: a hundred times the largest known file. */
export const DEFAULT_MAX_DOWNLOAD = 64_000_000;
