/** The identifier of a job at its service: `request_id` (predictions, 2.2), `hash_id` (molecules, 2.2). */

/** An id becomes part of paths at the service: no character in it may change the path. */
export function isUsableId(id: string): boolean {
  return /^[\w.~-]{1,200}$/.test(id) && !/^\.+$/.test(id);
}
