/** What ACPYPE is doing, by the lines that it prints. Pure. */

interface Phase {
  /** 0-100: by the share of the time that a molecule of thirty atoms takes. */
  readonly progress: number;
  readonly text: string;
}

/** The last that a text names counts. */
const PHASES: readonly (readonly [RegExp, Phase])[] = [
  [/^==> Writing /m, { progress: 80, text: 'writing topologies' }],
  [/^==> Executing Tleap/m, { progress: 70, text: 'assigning parameters' }],
  [/^==> Executing Antechamber/m, { progress: 30, text: 'computing charges and atom types' }],
];

export function phaseOf(printed: string): Phase | null {
  return PHASES.find(([line]) => line.test(printed))?.[1] ?? null;
}
