/** One chemist for all concurrent callers: results come in bursts, and each chemist would start threads. */
import type { Chemist } from './chemist.ts';
import { openChemist } from './rdkit.ts';

let shared: { readonly chemist: Chemist; users: number } | null = null;

/** Closed after the last answer: RDKit takes 80 MB per thread, and results arrive every half a minute. */
export async function withChemist<T>(use: (chemist: Chemist) => Promise<T>): Promise<T> {
  const mine = (shared ??= { chemist: openChemist(), users: 0 });
  mine.users += 1;
  try {
    return await use(mine.chemist);
  } finally {
    mine.users -= 1;
    if (mine.users === 0) {
      shared = null;
      await mine.chemist.close();
    }
  }
}
