/** A picture drawn by the page, with the buttons that save it. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { saveFile } from './save-file.ts';

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

/** Saves a picture as SVG. */
interface PictureButtonsProps {
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
  const save = (): void => {
    const found = [...(place.current?.querySelectorAll('svg') ?? [])];
    const shown = found.slice(0, isStack ? found.length : 1);
    if (shown.length > 0) saveSvg(fileName(name), stackOf(shown));
  };
  return (
    <span class="picture-buttons">
      <button type="button" tabIndex={tabIndex} aria-label={`${name}: save as SVG`} onClick={save}>
        SVG
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

/** Properties that a stylesheet may have set on an element. */
const STYLES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-dasharray',
  'opacity',
] as const;
const FONT_STYLES = ['font-family', 'font-size', 'font-weight', 'text-anchor'] as const;

const SVG = 'http://www.w3.org/2000/svg';
/** These pictures stacked in one, self-contained: without stylesheet, and with the page's background. */
function stackOf(svgs: readonly SVGSVGElement[]): string {
  const stack = document.createElementNS(SVG, 'svg');
  let [width, height] = [0, 0];
  for (const svg of svgs) {
    const box = svg.getBoundingClientRect();
    const copy = copyOf(svg, box);
    copy.setAttribute('y', String(height));
    stack.append(copy);
    width = Math.max(width, box.width);
    height += box.height;
  }
  const [only] = stack.children;
  const whole = svgs.length === 1 && only instanceof SVGSVGElement ? only : stack;
  whole.removeAttribute('y');
  whole.setAttribute('xmlns', SVG);
  whole.setAttribute('width', String(width));
  whole.setAttribute('height', String(height));
  if (!whole.hasAttribute('viewBox')) whole.setAttribute('viewBox', `0 0 ${width} ${height}`);
  whole.prepend(groundOf(whole));
  return new XMLSerializer().serializeToString(whole);
}

function copyOf(svg: SVGSVGElement, { width, height }: DOMRect): SVGSVGElement {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const sources = [svg, ...svg.querySelectorAll<SVGElement>('*')];
  for (const [place, target] of [copy, ...copy.querySelectorAll<SVGElement>('*')].entries()) {
    const source = sources[place];
    if (source === undefined || source instanceof SVGStyleElement) continue;
    const computed = getComputedStyle(source);
    const names = source instanceof SVGTextElement ? [...STYLES, ...FONT_STYLES] : STYLES;
    for (const name of names) target.style.setProperty(name, computed.getPropertyValue(name));
    // These may refer to colours of the page's stylesheet.
    for (const name of ['class', 'fill', 'stroke']) target.removeAttribute(name);
  }
  for (const style of copy.querySelectorAll('style')) style.remove();
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  return copy;
}

function groundOf(svg: SVGSVGElement): SVGRectElement {
  const ground = document.createElementNS(SVG, 'rect');
  const [x = '0', y = '0', width = '0', height = '0'] =
    svg.getAttribute('viewBox')?.split(/[\s,]+/) ?? [];
  for (const [name, value] of Object.entries({ x, y, width, height })) {
    ground.setAttribute(name, value);
  }
  ground.setAttribute('fill', getComputedStyle(document.body).backgroundColor);
  return ground;
}

function saveSvg(name: string, text: string): void {
  saveFile(`${name}.svg`, new Blob([text], { type: 'image/svg+xml' }));
}
