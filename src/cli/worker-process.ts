/**
 * The process of a command that runs a worker. Its memory depends on settings that are read when a process starts: such
 * a command therefore replaces its own process once, before it has loaded or read anything. Process id, arguments, stdin,
 * stdout and stderr stay the same.
 */

/** Commands that run a worker until a campaign ends, or until they are stopped. Other commands end within seconds. */
const WITH_WORKER = ['adopt', 'host', 'retry', 'run', 'watch', 'worker'];

/**
 * How far V8's heap grows: its defaults are for programs that have a machine to themselves, and a worker shares it at
 * least with the server. New objects that survive are copied from one half of their space to the other, which grows to
 * 128 MB in each thread and is rarely released: with more than 4 MB a worker uses 150 MB, and no less CPU. Old ones are
 * collected when their space has grown by a quarter since the last collection; by default it may double and more.
 */
const FLAGS = ['--max-semi-space-size=4', '--heap-growing-percent=25'];

/**
 * For the allocator of glibc. By default it has an arena for each thread, up to eight for each core, and with each
 * large block that is freed it returns less memory to the system.
 */
const ALLOCATOR = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: String(512 * 1024) };

/** Replaces this process if its command runs a worker; then it does not return. */
export function becomeWorkerProcess(): void {
  const { argv, connected, env, execArgv, execPath, platform } = process;
  if (FLAGS.every((flag) => execArgv.includes(flag))) {
    // This is the new process, which has already read them. A program that it starts must not inherit them.
    for (const name of Object.keys(ALLOCATOR)) Reflect.deleteProperty(env, name);
    return;
  }
  const [script = '', ...typed] = argv.slice(1);
  const command = typed.find((word) => !word.startsWith('-')) ?? '';
  if (platform !== 'linux' || !WITH_WORKER.includes(command)) return;
  // The user has configured the allocator.
  if (Object.keys(env).some((name) => name.startsWith('MALLOC_'))) return;
  // A restart would close these: the channel to a parent, and open files such as <(zcat table.csv.gz).
  if (connected || typed.some((word) => word.includes('/fd/'))) return;
  const args = [execPath, ...execArgv, ...FLAGS, script, ...typed];
  try {
    process.execve?.(execPath, args, { ...env, ...ALLOCATOR });
  } catch {
    // Node's permission model forbids it. As with a Node without `execve`, the worker only takes more memory.
  }
}
