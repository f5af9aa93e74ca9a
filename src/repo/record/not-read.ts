/** Begins with a character that no YAML holds: whoever writes it into a file gets the same problem. */
const mark = '\0not read: ';

/** Stands for the text of a file of the status branch that was not read; whoever parses it reports the reason. */
export const notRead = (reason: string): string => mark + reason;

/** Why a file was not read; undefined for every text that was. */
export const reasonNotRead = (text: string): string | undefined =>
  text.startsWith(mark) ? text.slice(mark.length).slice(0, 200) : undefined;
