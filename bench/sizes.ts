/** The size of a benchmark: the number in this environment variable, or else its default. */
export function sizeOf(variable: string, otherwise: number): number {
  return Number(process.env[variable] ?? otherwise);
}
