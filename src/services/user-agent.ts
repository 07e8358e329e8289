/** Who asks, for whoever runs a service: the program, its version, and somebody to write to. */
import { readFileSync } from 'node:fs';

let version: string | null = null;

/** `hundredfold/1.2.3 (+you@example.org)`; without a contact, program and version alone (RFC 9110, section 10.1.5). */
export function userAgent(contact: string | null): string {
  version ??= readVersion();
  return `hundredfold/${version}${contact === null ? '' : ` (+${contact})`}`;
}

function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
