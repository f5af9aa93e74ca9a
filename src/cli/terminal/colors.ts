import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Colour on a terminal, unless NO_COLOR says otherwise (no-color.org) or FORCE_COLOR asks for it in a pipe. */
export function colorsFor(stream: { readonly isTTY?: boolean }): (style: Style, text: string) => string {
  const on = process.env['NO_COLOR']
    ? false
    : process.env['FORCE_COLOR']
      ? process.env['FORCE_COLOR'] !== '0'
      : stream.isTTY === true;
  return on ? (style, text) => styleText(style, text, { validateStream: false }) : (_, text) => text;
}
