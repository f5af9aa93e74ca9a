import { type Document, type DocumentOptions, type ParseOptions, parseAllDocuments } from 'yaml';

/** The documents of a text, with merge keys; throws the parser's error if the nesting exhausts the stack. */
export function documentsOf(
  text: string,
  options: ParseOptions & DocumentOptions,
): readonly Document.Parsed[] | RangeError {
  try {
    const documents = parseAllDocuments(text, { ...options, merge: true });
    return Array.isArray(documents) ? documents : [];
  } catch (error) {
    if (error instanceof RangeError) return error;
    throw error;
  }
}
