/** Longest name in a message. */
const longestName = 80;

/** Forges notify those whom a commit message mentions, and a name may hold any text. */
export const readableName = (name: string): string =>
  name
    .replace(/\p{Cc}/gu, ' ')
    .replace(/(?<!\w)@/g, '')
    .slice(0, longestName)
    .trim();
