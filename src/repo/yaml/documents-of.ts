import { type Document, type DocumentOptions, type ParseOptions, parseAllDocuments } from 'yaml';

/** The documents of a text, with merge keys; throws the parser's error if the nesting exhausts the stack. */
export function documentsOf(
  text: string,
  options: ParseOptions & DocumentOptions,
): readonly Document.Parsed[] | RangeError {
  try {
    const documents = withoutStacks(() => parseAllDocuments(text, { ...options, merge: true }));
    return Array.isArray(documents) ? documents : [];
  } catch (error) {
    if (error instanceof RangeError) return error;
    throw error;
  }
}

/**
 * Runs the parser without stacks of errors, which take a kilobyte each: a text of a megabyte has up to a million errors, all of which
 * the parser keeps.
 */
export function withoutStacks<T>(parse: () => T): T {
  const usual = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return parse();
  } finally {
    Error.stackTraceLimit = usual;
  }
}
