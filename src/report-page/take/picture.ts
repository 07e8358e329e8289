/** A picture of the page as a file of its own: with the colours and fonts that it has in the page. */
import { saveFile } from './save-file.ts';

/** What a stylesheet may have said of an element. */
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
/** Pixels of a PNG for each of the page. */
const SHARPNESS = 2;

export interface Picture {
  readonly text: string;
  readonly width: number;
  readonly height: number;
}

/** Whole by itself: no stylesheet, and a ground as the page has. */
export function pictureOf(svg: SVGSVGElement): Picture {
  const { width, height } = svg.getBoundingClientRect();
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const sources = [svg, ...svg.querySelectorAll<SVGElement>('*')];
  for (const [place, target] of [copy, ...copy.querySelectorAll<SVGElement>('*')].entries()) {
    const source = sources[place];
    if (source === undefined || source instanceof SVGStyleElement) continue;
    const computed = getComputedStyle(source);
    const names = source instanceof SVGTextElement ? [...STYLES, ...FONT_STYLES] : STYLES;
    for (const name of names) target.style.setProperty(name, computed.getPropertyValue(name));
    // These may name colours of the page's stylesheet.
    for (const name of ['class', 'fill', 'stroke']) target.removeAttribute(name);
  }
  for (const style of copy.querySelectorAll('style')) style.remove();
  copy.setAttribute('xmlns', SVG);
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  if (!copy.hasAttribute('viewBox')) copy.setAttribute('viewBox', `0 0 ${width} ${height}`);
  copy.prepend(groundOf(copy));
  return { text: new XMLSerializer().serializeToString(copy), width, height };
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

export function saveSvg(name: string, svg: SVGSVGElement): void {
  saveFile(`${name}.svg`, new Blob([pictureOf(svg).text], { type: 'image/svg+xml' }));
}

/** The page's policy lets pictures in from `data:` alone. */
export async function savePng(name: string, svg: SVGSVGElement): Promise<void> {
  const { text, width, height } = pictureOf(svg);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(width * SHARPNESS);
  canvas.height = Math.ceil(height * SHARPNESS);
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => {
    if (blob !== null) saveFile(`${name}.png`, blob);
  });
}
