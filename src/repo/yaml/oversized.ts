import { Lexer } from 'yaml';

/** A document that is not to be parsed: the memory that takes would be out of proportion. */
export interface Oversized {
  /** Offset of the first character that says something. */
  readonly from: number;
  /** Offset where it ends. */
  readonly to: number;
  readonly cause: 'bytes' | 'tokens';
}

/** Marks of the lexer that stand for no text: beginning of a document's contents, broken flow collection, scalar to come. */
const contents = '\u0002';
const brokenFlow = '\u0018';
const scalarNext = '\u001f';

/**
 * Documents of a text that are larger than any object may be, or have too many tokens. The parser's own lexer tells where they
 * begin and end, since `---` may stand in a block scalar; it takes no memory to speak of, and is only asked of large texts.
 * What may be a List is spared its bytes here: whether it is one is known once it is parsed.
 */
export function oversizedDocuments(
  text: string,
  { maxObjectBytes, maxTokens }: { readonly maxObjectBytes: number; readonly maxTokens: number },
): readonly Oversized[] {
  // No token is shorter than a character but the marks, of which there is at most one beside each.
  if (!isLonger(text, maxObjectBytes) && text.length * 2 <= maxTokens) return [];
  const found: Oversized[] = [];
  let [offset, begin, tokens] = [0, 0, 0];
  let isScalar = false;
  const end = (): void => {
    const body = text.slice(begin, offset);
    const cause =
      tokens > maxTokens ? 'tokens' : isLonger(body, maxObjectBytes) && !mayBeList.test(body) ? 'bytes' : undefined;
    if (cause) found.push({ from: begin + Math.max(body.search(/[^\s]/), 0), to: offset, cause });
    tokens = 0;
  };
  for (const token of new Lexer().lex(text)) {
    tokens++;
    if (isScalar) isScalar = false;
    else if (token === scalarNext) {
      isScalar = true;
      continue;
    } else if (token === contents || token === brokenFlow) continue;
    else if (token === '---' || token === '...') {
      end();
      begin = offset + token.length;
    }
    offset += token.length;
  }
  end();
  return found;
}

const mayBeList = /\bkind["']?\s*:\s*["']?\w*List\b/;

/** Whether a text takes more bytes as UTF-8; no character takes more than three. */
export const isLonger = (text: string, maxBytes: number): boolean =>
  text.length > maxBytes || (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes);

/** The text with an empty value and blanks in the place of documents: all that is left stands where it stood. */
export function withoutDocuments(text: string, documents: readonly Oversized[]): string {
  let [rest, at] = ['', 0];
  for (const { from, to } of documents) {
    rest += `${text.slice(at, from)}~${text.slice(from + 1, to).replace(/[^\n]/g, ' ')}`;
    at = to;
  }
  return at === 0 ? text : rest + text.slice(at);
}
