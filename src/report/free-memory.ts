/**
 * Frees the memory of a buffer that nobody reads any more. A view of a part of a buffer is left alone: others may use
 * the rest, such as the other rows of a part that was read from disk.
 *
 * Buffers are outside of V8's heap: for every few dozen megabytes of them V8 collects the garbage of the whole heap,
 * even if that has hardly any. The tables of 10,000 items pass through gigabytes.
 */
export function freeMemory({ buffer, byteLength }: ArrayBufferView<ArrayBuffer>): void {
  if (byteLength === buffer.byteLength) buffer.transfer(0);
}
