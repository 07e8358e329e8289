/** Writes a warning to stderr that needs no action. Each text is written once per process. */
const written = new Set<string>();

export function warn(message: string): void {
  if (written.has(message)) return;
  written.add(message);
  process.stderr.write(`hundredfold: ${message}\n`);
}
