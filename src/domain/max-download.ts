/** Bytes of one downloaded file at most, unless the configuration says otherwise: a hundred times the largest known. */
export const DEFAULT_MAX_DOWNLOAD = 64_000_000;
