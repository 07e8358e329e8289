/** A line on stderr for what a user should know and nothing depends on. Each is written once by a process. */
const written = new Set<string>();

export function warn(message: string): void {
  if (written.has(message)) return;
  written.add(message);
  process.stderr.write(`hundredfold: ${message}\n`);
}
