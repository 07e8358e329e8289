/** The memory of a job's processes, from Linux's /proc. */
import { readFileSync } from 'node:fs';

/**
 * Resident bytes of a process and all its descendants; 0 if it has ended. Pages shared by two of them count twice. Not
 * a kernel limit on address space (RLIMIT_AS): PyTorch reserves gigabytes that it never uses, and a program that
 * reaches such a limit fails with an unclear message, or none.
 */
export function residentBytes(pid: number): number {
  const process = `/proc/${String(pid)}`;
  const kilobytes = Number(/^VmRSS:\s+(\d+)/m.exec(read(`${process}/status`))?.[1] ?? 0);
  const children = read(`${process}/task/${String(pid)}/children`).trim();
  const below = children === '' ? [] : children.split(' ');
  return kilobytes * 1024 + below.reduce((sum, child) => sum + residentBytes(Number(child)), 0);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It ended between two reads.
    return '';
  }
}
