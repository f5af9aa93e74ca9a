import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];
type Stream = { readonly isTTY?: boolean };

/** Paints texts for a stream; leaves them as they are where it is not to be coloured. */
export function colorsFor(stream: Stream): (style: Style, text: string) => string {
  return isColored(stream) ? (style, text) => styleText(style, text, { validateStream: false }) : (_, text) => text;
}

/** Colour on a terminal, unless NO_COLOR says otherwise (no-color.org) or FORCE_COLOR asks for it in a pipe. */
export function isColored(stream: Stream): boolean {
  if (process.env['NO_COLOR']) return false;
  const forced = process.env['FORCE_COLOR'];
  return forced ? forced !== '0' : stream.isTTY === true;
}
