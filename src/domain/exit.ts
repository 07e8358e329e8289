/** Exit codes of the command line. */
export const EXIT = {
  ok: 0,
  usage: 1,
  refused: 2,
  incomplete: 3,
  cancelled: 4,
  interrupted: 130,
} as const;

export type ExitName = keyof typeof EXIT;
