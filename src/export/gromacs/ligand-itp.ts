/** Converts ACPYPE's `X_GMX.itp` to a file of a library: without its own atom types, under its own name. */
import type { AtomTypeLine, NamedType } from './atom-types.ts';

/** The parts of the file that are rewritten; null if the text is not such a file. */
interface LigandItp {
  readonly types: readonly AtomTypeLine[];
  /** The molecule's name in ACPYPE's files. */
  readonly name: string;
  /** The lines from `[ moleculetype ]` on. */
  readonly lines: readonly string[];
}

const HEAD = /^\s*\[\s*(\w+)\s*\]/;

export function readLigandItp(text: string): LigandItp | null {
  const all = text.split(/\r?\n/);
  const start = all.findIndex((line) => HEAD.exec(line)?.[1] === 'moleculetype');
  if (start === -1) return null;
  const types = all.slice(0, start).flatMap((line) => readType(line));
  const lines = all.slice(start);
  const name = lines
    .slice(1)
    .map(cells)
    .find((row) => row.length > 0)?.[0];
  return types.length === 0 || name === undefined ? null : { types, name, lines };
}

/** `c3  c3  0.00000  0.00000  A  3.39771e-01  4.51035e-01 ; 1.91  0.1078` */
function readType(line: string): AtomTypeLine[] {
  const [name, , ...parameters] = cells(line);
  return name === undefined || parameters.length !== 5 ? [] : [{ name, parameters }];
}

function cells(line: string): string[] {
  const text = line.replace(/;.*/, '').trim();
  return text === '' || text.startsWith('[') ? [] : text.split(/\s+/);
}

/** The ligand's name and the names of its types in the library. */
interface LibraryNames {
  /** Of the `[ moleculetype ]`, the item's id. */
  readonly molecule: string;
  readonly types: readonly NamedType[];
}

/**
 * The file of the library, which includes its position restraints.
 * @throws Error if an atom has a type that the file does not define, which ACPYPE never writes
 */
export function writeLigandItp({ lines }: LigandItp, { molecule, types }: LibraryNames): string {
  const newNames = new Map(types.map(({ name, newName }) => [name, newName]));
  let section = '';
  const written = lines.map((line) => {
    const head = HEAD.exec(line)?.[1];
    if (head !== undefined) section = head;
    if (head !== undefined || cells(line).length === 0) return line;
    if (section === 'moleculetype') return line.replace(/^\s*\S+/, ` ${molecule}`);
    return section === 'atoms' ? withType(line, newNames) : line;
  });
  return [
    '; From ACPYPE; its atom types are in atomtypes.itp.',
    ...written.join('\n').trimEnd().split('\n'),
    '',
    '#ifdef POSRES_LIG',
    `#include "posre_${molecule}.itp"`,
    '#endif',
    '',
  ].join('\n');
}

/** `1   c3     1   UNL     C    1    -0.149100     12.01000 ; qtot -0.149` */
function withType(line: string, newNames: ReadonlyMap<string, string>): string {
  return line.replace(/^(\s*\d+\s+)(\S+)/, (_, number: string, type: string) => {
    const name = newNames.get(type);
    if (name === undefined) throw new Error(`no atom type ${type} in the file of the ligand`);
    return `${number}${name}`;
  });
}
