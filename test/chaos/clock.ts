/**
 * Steps the clock of one running process, as a date set by hand or by NTP would, and leaves the machine's alone.
 *
 * libfaketime cannot do this: the Temporal CLI is a static Go binary, which no LD_PRELOAD reaches, and a time namespace
 * shifts only the clocks that never step. Both Go and Node read the time through the vDSO, the page of code that the
 * kernel maps into every process. Here its functions are replaced, in that one process, by ones that ask the kernel and
 * add an offset to CLOCK_REALTIME. The monotonic clock and all timers stay as they are.
 */
import { closeSync, openSync, readFileSync, readSync, readdirSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Ten milliseconds apart: on a busy machine a process may wait in these functions for the CPU. */
const TRIES = 500;

/** Why clocks cannot be stepped on this machine, in a few words; null if they can. */
export function whyClocksStand(): string | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'needs Linux on x64';
  try {
    const vdso = findVdso(process.pid);
    if (vdso === null) return 'this kernel has no vDSO';
    codeFor(vdso, 0);
    closeSync(openSync('/proc/self/mem', 'r+'));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** From now on the process reads its clock `seconds` later than the machine's. Returns false if it has ended. */
export async function setClockOffset(pid: number, seconds: number): Promise<boolean> {
  try {
    const vdso = findVdso(pid);
    // It is just starting or ending.
    if (vdso === null) return false;
    const pieces = codeFor(vdso, seconds);
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (whileStopped(pid, vdso, pieces)) return true;
      await delay(10);
    }
    throw new Error(`process ${pid} never left the functions of the vDSO`);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || isGone(error)))
      return false;
    throw error;
  }
}

function isGone(error: Error): boolean {
  return 'code' in error && (error.code === 'ESRCH' || error.code === 'EIO');
}

interface Vdso {
  readonly start: number;
  readonly end: number;
  readonly image: Buffer;
}

interface Piece {
  readonly address: number;
  readonly code: Buffer;
}

/** Its address, from `/proc/PID/maps`, and its contents; null if there is none. */
function findVdso(pid: number): Vdso | null {
  const maps = readFileSync(`/proc/${pid}/maps`, 'utf8');
  const found = /^([0-9a-f]+)-([0-9a-f]+) .*\[vdso\]$/m.exec(maps);
  if (!found?.[1] || !found[2]) return null;
  const [start, end] = [parseInt(found[1], 16), parseInt(found[2], 16)];
  const image = Buffer.alloc(end - start);
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    readSync(memory, image, 0, image.length, start);
  } finally {
    closeSync(memory);
  }
  return { start, end, image };
}

/** `mov eax, NUMBER; syscall` */
const syscall = (number: number): number[] => [0xb8, number, 0, 0, 0, 0x0f, 0x05];

/** The replacement of a function of the vDSO (System V calling convention), by its name there. */
function replacements(seconds: number): Readonly<Record<string, Buffer>> {
  const offset = Buffer.alloc(8);
  offset.writeBigInt64LE(BigInt(seconds));
  const load = [0x48, 0xb9, ...offset]; // mov rcx, offset
  const RET = 0xc3;
  return {
    // clock_gettime(edi = clock, rsi = &timespec): only CLOCK_REALTIME (0) and CLOCK_REALTIME_COARSE (5) are moved.
    __vdso_clock_gettime: Buffer.from([
      ...syscall(228),
      ...[0x85, 0xff], // test edi, edi
      ...[0x74, 0x05], // jz load
      ...[0x83, 0xff, 0x05], // cmp edi, 5
      ...[0x75, 0x0d], // jne ret
      ...load,
      ...[0x48, 0x01, 0x0e], // add [rsi], rcx
      RET,
    ]),
    // gettimeofday(rdi = &timeval or null)
    __vdso_gettimeofday: Buffer.from([
      ...syscall(96),
      ...[0x48, 0x85, 0xff], // test rdi, rdi
      ...[0x74, 0x0d], // jz ret
      ...load,
      ...[0x48, 0x01, 0x0f], // add [rdi], rcx
      RET,
    ]),
    // time(rdi = &time_t or null)
    __vdso_time: Buffer.from([
      ...syscall(201),
      ...load,
      ...[0x48, 0x01, 0xc8], // add rax, rcx
      ...[0x48, 0x85, 0xff], // test rdi, rdi
      ...[0x74, 0x03], // jz ret
      ...[0x48, 0x89, 0x07], // mov [rdi], rax
      RET,
    ]),
  };
}

function codeFor(vdso: Vdso, seconds: number): Piece[] {
  const symbols = dynamicSymbols(vdso.image);
  return Object.entries(replacements(seconds)).map(([name, code]) => {
    const symbol = symbols.get(name);
    if (symbol === undefined || symbol.size < code.length)
      throw new Error(`the vDSO of this kernel has no ${name} that could be replaced`);
    return { address: vdso.start + symbol.value, code };
  });
}

/** Of a 64-bit ELF image: `.dynsym` (type 11), whose names are in the section that it links to. */
function dynamicSymbols(image: Buffer): Map<string, { value: number; size: number }> {
  const at = Number(image.readBigUInt64LE(0x28));
  const [entry, count] = [image.readUInt16LE(0x3a), image.readUInt16LE(0x3c)];
  const section = (n: number) => {
    const header = image.subarray(at + n * entry, at + (n + 1) * entry);
    const [offset, size] = [header.readBigUInt64LE(0x18), header.readBigUInt64LE(0x20)].map(Number);
    return {
      type: header.readUInt32LE(4),
      link: header.readUInt32LE(0x28),
      bytes: image.subarray(offset, (offset ?? 0) + (size ?? 0)),
    };
  };
  const symbols = new Map<string, { value: number; size: number }>();
  for (const { type, link, bytes } of Array.from({ length: count }, (_, n) => section(n))) {
    if (type !== 11) continue;
    const names = section(link).bytes;
    for (let i = 0; i + 24 <= bytes.length; i += 24) {
      const from = bytes.readUInt32LE(i);
      const name = names.toString('latin1', from, names.indexOf(0, from));
      symbols.set(name, {
        value: Number(bytes.readBigUInt64LE(i + 8)),
        size: Number(bytes.readBigUInt64LE(i + 16)),
      });
    }
  }
  return symbols;
}

/** Writes while no thread runs; false if one is within the vDSO, whose code must not change then. */
function whileStopped(pid: number, vdso: Vdso, pieces: readonly Piece[]): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const wasStopped = stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
  if (!wasStopped) process.kill(pid, 'SIGSTOP');
  try {
    if (threads(pid).some((at) => at === null || (at >= vdso.start && at < vdso.end))) return false;
    const memory = openSync(`/proc/${pid}/mem`, 'r+');
    try {
      for (const { address, code } of pieces) writeSync(memory, code, 0, code.length, address);
    } finally {
      closeSync(memory);
    }
    return true;
  } finally {
    if (!wasStopped) process.kill(pid, 'SIGCONT');
  }
}

/** The position of each thread; null until it has stopped. */
function threads(pid: number): (number | null)[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    // `running`, or the number of a system call, its arguments, stack pointer and program counter.
    const words = readFileSync(`/proc/${pid}/task/${thread}/syscall`, 'latin1').trim().split(' ');
    return words.length > 1 ? parseInt(words.at(-1) ?? '', 16) : null;
  });
}
