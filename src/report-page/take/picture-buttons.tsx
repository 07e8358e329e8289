/** Keeps a picture as SVG or PNG. */
import { savePng, saveSvg } from './picture.ts';

export interface PictureButtonsProps {
  /** Of the file, and for those who hear the page. */
  readonly name: string;
  /** Holds the picture. */
  readonly place: { readonly current: Element | null };
}

export function PictureButtons({ name, place }: PictureButtonsProps) {
  const save = (as: (name: string, svg: SVGSVGElement) => unknown): void => {
    const svg = place.current?.querySelector('svg');
    if (svg) void as(fileName(name), svg);
  };
  return (
    <span class="picture-buttons">
      <button type="button" aria-label={`${name}: save as SVG`} onClick={() => save(saveSvg)}>
        SVG
      </button>
      <button type="button" aria-label={`${name}: save as PNG`} onClick={() => save(savePng)}>
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
