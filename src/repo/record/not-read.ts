/** Starts with a character that is invalid in YAML, so that a file with this text is a problem too. */
const mark = '\0not read: ';

/** Replaces the text of a status branch file that was not read; parsing it reports the reason. */
export const notRead = (reason: string): string => mark + reason;

/** Why a file was not read; undefined for other texts. */
export const reasonNotRead = (text: string): string | undefined =>
  text.startsWith(mark) ? text.slice(mark.length).slice(0, 200) : undefined;
