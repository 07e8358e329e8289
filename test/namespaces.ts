/** Commands without the keys cannot list what is encrypted: it has a namespace of its own on the suite's server. */
export const ENCRYPTED = 'encrypted';
