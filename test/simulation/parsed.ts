import { parse } from 'yaml';

const values = new Map<string, unknown>();
const mostKnown = 500;

/** The value of a file on the status branch, which is not to be changed: most files are looked at many times as they are. */
export function parsed(text: string): unknown {
  if (!values.has(text)) {
    if (values.size >= mostKnown) values.clear();
    values.set(text, parse(text));
  }
  return values.get(text);
}
