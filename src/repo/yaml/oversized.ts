import { Lexer } from 'yaml';

/** A document that must not be parsed, because that would take too much memory. */
export interface Oversized {
  /** Offset of the first significant character. */
  readonly from: number;
  /** Offset where it ends. */
  readonly to: number;
  readonly cause: 'bytes' | 'tokens';
  /** Offset of the first token beyond the limit; undefined if there is none. */
  readonly passedAt: number | undefined;
}

/** Marks of the lexer without text: start of a document's contents, broken flow collection, next scalar. */
const contents = '\u0002';
const brokenFlow = '\u0018';
const scalarNext = '\u001f';

/**
 * Documents of a text that are larger than any object or have too many tokens. The parser's own lexer finds their bounds, since `---`
 * may be part of a block scalar. It needs little memory, and runs only for large texts. A possible List is exempt from the byte limit,
 * since only parsing shows whether it is one.
 */
export function oversizedDocuments(
  text: string,
  { maxObjectBytes, maxTokens }: { readonly maxObjectBytes: number; readonly maxTokens: number },
): readonly Oversized[] {
  // Each token has at least one character and at most one mark with it.
  if (!isLonger(text, maxObjectBytes) && text.length * 2 <= maxTokens) return [];
  const found: Oversized[] = [];
  let [offset, begin, tokens] = [0, 0, 0];
  let passedAt: number | undefined;
  let isScalar = false;
  const end = (): void => {
    const body = text.slice(begin, offset);
    const cause =
      tokens > maxTokens ? 'tokens' : isLonger(body, maxObjectBytes) && !mayBeList.test(body) ? 'bytes' : undefined;
    if (cause) found.push({ from: begin + Math.max(body.search(/[^\s]/), 0), to: offset, cause, passedAt });
    [tokens, passedAt] = [0, undefined];
  };
  for (const token of new Lexer().lex(text)) {
    tokens++;
    if (tokens === maxTokens + 1) passedAt = offset;
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

/** Whether a text has more bytes than that as UTF-8; no UTF-16 unit takes more than three. */
export const isLonger = (text: string, maxBytes: number): boolean =>
  text.length > maxBytes || (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes);

/** The text with these documents replaced by an empty value and blanks, so that other positions stay the same. */
export function withoutDocuments(text: string, documents: readonly Oversized[]): string {
  let [rest, at] = ['', 0];
  for (const { from, to } of documents) {
    rest += `${text.slice(at, from)}~${text.slice(from + 1, to).replace(/[^\n]/g, ' ')}`;
    at = to;
  }
  return at === 0 ? text : rest + text.slice(at);
}
