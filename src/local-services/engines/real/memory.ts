/** What the processes of a job hold in memory, as Linux tells under /proc. */
import { readFileSync } from 'node:fs';

/**
 * Resident bytes of a process and all its descendants; 0 when it is gone. Pages that two of them share count twice.
 * Not a limit of the kernel on address space (RLIMIT_AS): PyTorch reserves gigabytes that it never touches, and a
 * program that meets such a limit dies with words of its own, or none.
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
    // It ended between two looks.
    return '';
  }
}
