/** Identifies the client to the operators of a service: the program, its version, and a contact. */
import { programVersion } from '../program/files.ts';

/** `hundredfold/1.2.3 (+you@example.org)`; without a contact, program and version alone (RFC 9110, section 10.1.5). */
export function userAgent(contact: string | null): string {
  return `hundredfold/${programVersion()}${contact === null ? '' : ` (+${contact})`}`;
}
