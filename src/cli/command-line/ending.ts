/** Runs a command and ends the process with its exit code: open handles of libraries must not keep it alive. */
export function ending<A extends unknown[]>(command: (...args: A) => Promise<number>) {
  return async (...args: A): Promise<void> => {
    await exitWith(await command(...args));
  };
}

export async function exitWith(code: number): Promise<never> {
  // stdout may be a pipe: flush it first.
  await new Promise((resolve) => process.stdout.write('', resolve));
  process.exit(code);
}
