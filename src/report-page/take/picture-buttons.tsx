/** Saves a picture as SVG or PNG. */
import { savePng, saveSvg, stackOf, type Picture } from './picture.ts';

export interface PictureButtonsProps {
  /** Of the file, and for screen readers. */
  readonly name: string;
  /** Contains the picture. */
  readonly place: { readonly current: Element | null };
  /** Whether all pictures in the container are saved as one; by default only the first. */
  readonly isStack?: boolean;
  /** Whether the keyboard skips the buttons: if it has another way to the picture, and they are many. */
  readonly isForPointer?: boolean;
}

export function PictureButtons(props: PictureButtonsProps) {
  const { name, place, isStack = false, isForPointer = false } = props;
  const tabIndex = isForPointer ? -1 : 0;
  const save = (as: (name: string, picture: Picture) => unknown): void => {
    const found = [...(place.current?.querySelectorAll('svg') ?? [])];
    const shown = found.slice(0, isStack ? found.length : 1);
    if (shown.length > 0) void as(fileName(name), stackOf(shown));
  };
  return (
    <span class="picture-buttons">
      <button
        type="button"
        tabIndex={tabIndex}
        aria-label={`${name}: save as SVG`}
        onClick={() => save(saveSvg)}
      >
        SVG
      </button>
      <button
        type="button"
        tabIndex={tabIndex}
        aria-label={`${name}: save as PNG`}
        onClick={() => save(savePng)}
      >
        PNG
      </button>
    </span>
  );
}

/** `Backbone dynamics along the chain` → `backbone-dynamics-along-the-chain`. */
function fileName(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return plain.slice(0, 60) || 'picture';
}
