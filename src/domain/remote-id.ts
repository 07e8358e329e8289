/** The identifier of a job at its service: `request_id` (predictions, 2.2), `hash_id` (molecules, 2.2). */

/** An id becomes part of paths at the service: no character in it may change the path. A plugin may give anything. */
export function isUsableId(id: unknown): id is string {
  return typeof id === 'string' && /^[\w.~-]{1,200}$/.test(id) && !/^\.+$/.test(id);
}
