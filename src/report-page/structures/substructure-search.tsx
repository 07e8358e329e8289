/** A field for a SMARTS, and the molecules that contain it. */
import { useEffect, useState } from 'preact/hooks';
import type { Structures } from '../data.ts';
import { hasSubstructures, holding } from './substructure.ts';

/** `all`: no search. */
export type Found = ReadonlySet<number> | 'all' | 'searching' | 'unreadable';

export function useSubstructure(list: Structures, smarts: string): Found {
  const [found, setFound] = useState<Found>('all');
  useEffect(() => {
    if (smarts === '' || !hasSubstructures()) {
      setFound('all');
      return;
    }
    let left = false;
    setFound('searching');
    void holding(list, smarts, () => left).then((places) => {
      if (!left) setFound(places ?? 'unreadable');
    });
    return () => {
      left = true;
    };
  }, [list, smarts]);
  return found;
}

interface SubstructureFieldProps {
  readonly smarts: string;
  readonly search: (smarts: string) => void;
}

export function SubstructureField({ smarts, search }: SubstructureFieldProps) {
  if (!hasSubstructures()) {
    return (
      <p class="quiet">
        Substructure search needs a report written with{' '}
        <code>hundredfold report NAME --substructure</code>.
      </p>
    );
  }
  return (
    <label class="search">
      Substructure (SMARTS)
      <input
        type="search"
        value={smarts}
        placeholder="c1ccccc1C(=O)[OX2]"
        onChange={({ currentTarget }) => search(currentTarget.value.trim())}
      />
    </label>
  );
}
