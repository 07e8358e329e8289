/**
 * Frees the memory of a buffer that nobody reads any more. A view of a part of a buffer is left alone: others may use
 * the rest, such as the other rows of a part that was read from disk.
 *
 * Otherwise it stays allocated until V8 next collects the garbage of the whole heap, although the tables of 10,000 items
 * pass through gigabytes of buffers.
 */
export function freeMemory({ buffer, byteLength }: ArrayBufferView<ArrayBuffer>): void {
  if (byteLength === buffer.byteLength) buffer.transfer(0);
}
