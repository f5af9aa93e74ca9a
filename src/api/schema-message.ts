/** The message of a schema: what is wrong, and what to write instead. zod carries one text, so the fix is its second line. */
export const wrongAndFix = (wrong: string, fix: string): string => `${wrong}\n${fix}`;

/** Both parts of it; a message of zod itself has no fix. */
export function readSchemaMessage(message: string): { readonly wrong: string; readonly fix: string | undefined } {
  const [wrong = '', fix] = message.split('\n');
  return { wrong, fix };
}
