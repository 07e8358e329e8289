/** Counts the atoms of a coordinate file (contract of the molecule service, 8), by the format in its name. */

export const COORDINATE_ENDINGS = ['pdb', 'mol2', 'mdl', 'mol', 'sdf'] as const;

/** The atoms in the file, or null for a format that is not accepted. For a text without atoms: 0. */
export function countAtoms(fileName: string, content: string): number | null {
  const ending = /\.([A-Za-z0-9]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
  const lines = content.split(/\r\n|\r|\n/);
  switch (ending) {
    case 'pdb':
      return firstModel(lines).filter((line) => /^(ATOM {2}|HETATM)/.test(line)).length;
    case 'mol2':
      return mol2Atoms(lines);
    case 'mdl':
    case 'mol':
    case 'sdf':
      return molfileAtoms(lines);
    default:
      return null;
  }
}

/** Further models repeat the same atoms. */
function firstModel(lines: readonly string[]): readonly string[] {
  const end = lines.findIndex((line) => line.startsWith('ENDMDL'));
  return end < 0 ? lines : lines.slice(0, end);
}

function mol2Atoms(lines: readonly string[]): number {
  const start = lines.findIndex((line) => line.trim() === '@<TRIPOS>ATOM');
  if (start < 0) return 0;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith('@<TRIPOS>'));
  return (end < 0 ? rest : rest.slice(0, end)).filter((line) => line.trim() !== '').length;
}

/** V2000: the fourth line begins with the count in three columns. V3000: `M  V30 COUNTS atoms ...`. */
function molfileAtoms(lines: readonly string[]): number {
  const counts = lines[3] ?? '';
  if (counts.includes('V3000')) {
    const line = lines.find((text) => text.startsWith('M  V30 COUNTS'));
    return Number.parseInt(line?.split(/\s+/)[3] ?? '0', 10) || 0;
  }
  return Number.parseInt(counts.slice(0, 3), 10) || 0;
}
