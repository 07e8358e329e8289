/** Extracts the lines of an ACPYPE log that say why a job failed. */

/** Lines kept: the engine reports the cause some lines before the end. */
const LINES = 8;

/** Frame, progress, and consequences of an earlier error. */
const NOISE: readonly RegExp[] = [
  /^\W*$/,
  /^\| ACPYPE: /,
  // Of this project's own services.
  /^engine: /,
  /^=+>? ?\*? ?(?:Babel|Antechamber|Parmchk|Tleap) OK/,
  /^==> (?:Executing|Removing temporary files|Using OpenBabel|Writing|\.\.\. converting)/,
  /^ERROR: \++(?:start|end)_quote\++$/,
  /^(?:ERROR: )?$/,
  /^Total time of execution:/,
  /^DEBUG: /,
  /^Running: /,
  /^Info: (?!The number of electrons is odd)/,
  /^(?:ERROR: )?Welcome to antechamber/,
  /^gaff, gaff2, amber, bcc, and sybyl\.$/,
  /: Fatal Error!$/,
  /^Cannot properly run /,
  /^ERROR: Cannot open file \(.*\) with mode \(r\)\.$/,
  /^No such file or directory$/,
  /^ERROR: (?:Parmchk|Tleap) failed$/,
];

/**
 * The last meaningful lines of a job's log, unchanged; null when it has none.
 * @param log as the service sends it: what ACPYPE printed
 */
export function meaningfulLines(log: string): string | null {
  const lines = log
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => !NOISE.some((noise) => noise.test(line)));
  return lines.length === 0 ? null : lines.slice(-LINES).join('\n');
}
