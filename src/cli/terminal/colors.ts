import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];
type Stream = { readonly isTTY?: boolean };

/** Styles texts for a stream; without colours it returns them unchanged. */
export function colorsFor(stream: Stream): (style: Style, text: string) => string {
  return isColored(stream) ? (style, text) => styleText(style, text, { validateStream: false }) : (_, text) => text;
}

/** Colours on a terminal, unless NO_COLOR is set (no-color.org), and in a pipe with FORCE_COLOR. */
export function isColored(stream: Stream): boolean {
  if (process.env['NO_COLOR']) return false;
  const forced = process.env['FORCE_COLOR'];
  return forced ? forced !== '0' : stream.isTTY === true;
}
