/** Starts with a character that is invalid in YAML, so that a file with this text is a problem too. */
const mark = '\0not read: ';

/** Replaces the text of a status branch file that was not read; parsing it reports the reason. */
export const notRead = (reason: string): string => mark + reason;

/** Why a file was not read; undefined for other texts. */
export const reasonNotRead = (text: string): string | undefined =>
  text.startsWith(mark) ? text.slice(mark.length).slice(0, 200) : undefined;

/** The branch itself, which no file can be named as. */
export const wholeBranch = '.';

/** In place of all files of a status branch that is too large to be read. */
export const noneRead = (reason: string): Map<string, string> => new Map([[wholeBranch, notRead(reason)]]);
