/** Sizes in bytes as people write them. */

const UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
};

/** `512MB`, `1.5 GB`, `64MiB`, `20000B`, or a bare number of bytes. Null when invalid or not above zero. */
export function parseSize(text: string): number | null {
  const match = /^(\d{1,15}(?:\.\d{1,15})?)\s*((?:[kmg]i?)?b)?$/i.exec(text.trim());
  if (!match) return null;
  const bytes = Math.ceil(
    Number(match[1]) * (UNITS[(match[2] ?? 'b').toLowerCase()] ?? Number.NaN),
  );
  return bytes > 0 ? bytes : null;
}
