/** Detects ACPYPE's current phase from its output. Pure. */

interface Phase {
  /** 0-100: the fraction of time for a molecule of thirty atoms. */
  readonly progress: number;
  readonly text: string;
}

/** The last match in a text counts. */
const PHASES: readonly (readonly [RegExp, Phase])[] = [
  [/^==> Writing /m, { progress: 80, text: 'writing topologies' }],
  [/^==> Executing Tleap/m, { progress: 70, text: 'assigning parameters' }],
  [/^==> Executing Antechamber/m, { progress: 30, text: 'computing charges and atom types' }],
];

export function phaseOf(printed: string): Phase | null {
  return PHASES.find(([line]) => line.test(printed))?.[1] ?? null;
}
