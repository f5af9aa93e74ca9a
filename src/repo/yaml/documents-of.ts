import { type Document, type DocumentOptions, type ParseOptions, parseAllDocuments } from 'yaml';

/** The documents of a text, with merge keys; the error of the parser where it is nested so deep that there is no stack left. */
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
