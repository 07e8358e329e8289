/** The roles of a worker of a shared Temporal; by default all of them. */
export const ROLES = ['submit', 'fetch', 'publish', 'workflows'] as const;
export type Role = (typeof ROLES)[number];
