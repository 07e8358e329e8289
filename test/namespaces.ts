/** Commands without the keys cannot list encrypted campaigns: these have their own namespace on the suite's server. */
export const ENCRYPTED = 'encrypted';
