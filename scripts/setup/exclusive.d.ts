/** Types of `exclusive.js`, which stays plain JavaScript because the set-up runs on Node 20. */

/** Runs `work` while holding the lock at `path`; `onWait` is called once if another process holds it. */
export function exclusively<T>(
  path: string,
  work: () => T | Promise<T>,
  onWait: () => void,
): Promise<T>;
