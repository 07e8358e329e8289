/** A picture drawn by the page, with the buttons that save it. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { PictureButtons, type PictureButtonsProps } from './picture-buttons.tsx';

interface SavedPictureProps extends Pick<PictureButtonsProps, 'name' | 'isForPointer'> {
  /** One SVG, or several that are saved as one, stacked. */
  readonly children: ComponentChildren;
}

export function SavedPicture({ name, isForPointer = false, children }: SavedPictureProps) {
  const place = useRef<HTMLDivElement>(null);
  return (
    <div class="picture">
      <PictureButtons name={name} place={place} isStack isForPointer={isForPointer} />
      <div ref={place}>{children}</div>
    </div>
  );
}
