import { printable } from '../../api/printable.ts';

/** Everything that a command writes goes through these: nothing from outside reaches a terminal as an escape sequence. */
export const writeOut = (text: string): void => {
  process.stdout.write(terminalText(text));
};

/** For files whose format requires line breaks of Windows. */
export const writeOutWithCrLf = (text: string): void => {
  process.stdout.write(terminalText(text).replaceAll('\n', '\r\n'));
};

export const writeError = (text: string): void => {
  process.stderr.write(terminalText(text));
};

/** What `colorsFor` makes stays: bold, dim and the colours that can be read on any background. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with ESC
const colour = /(\x1b\[(?:1|2|22|3[1-6]|39|90)m)/;

/** Text with colours, and with every other control character made visible. A line break of Windows is one. */
export const terminalText = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .split(colour)
    .map((part, at) => (at % 2 === 1 ? part : printable(part)))
    .join('');
