/**
 * Frees the memory of a buffer that is no longer read. A view of a part of a buffer is ignored: the rest may be in use,
 * for example for the other rows of a part that was read from disk.
 *
 * Without this it stays allocated until the next full garbage collection of V8, and the tables of 10,000 items use
 * gigabytes of buffers.
 */
export function freeMemory({ buffer, byteLength }: ArrayBufferView<ArrayBuffer>): void {
  if (byteLength === buffer.byteLength) buffer.transfer(0);
}
