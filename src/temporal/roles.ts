/** What a worker of a shared Temporal does; by default all of it. */
export const ROLES = ['submit', 'fetch', 'publish', 'workflows'] as const;
export type Role = (typeof ROLES)[number];
