import { type Document, parseDocument } from 'yaml';
import { CliError } from '../terminal/exit.ts';

/** Identifies an object in a file of several. */
export interface ObjectName {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
}

/**
 * A file with one of its objects changed; the others keep every character, and the changed one its comments, order and
 * style. Error: CliError when the file does not hold the object as a document of its own.
 */
export function editObject(
  of: { readonly file: string; readonly text: string },
  object: ObjectName,
  edit: (document: Document) => void,
): string {
  const parts = partsOf(of.text);
  const at = indexOf(parts, object, of.file);
  const document = parseDocument(parts[at]!.body);
  edit(document);
  const body = document.toString(styleOf(parts[at]!.body));
  return parts.map((part, index) => part.marker + (index === at ? body : part.body)).join('');
}

/** A file without one of its objects; undefined when it held nothing else. */
export function removeObject(
  of: { readonly file: string; readonly text: string },
  object: ObjectName,
): string | undefined {
  const parts = partsOf(of.text);
  const at = indexOf(parts, object, of.file);
  const rest = parts.filter((_, index) => index !== at);
  if (rest.every(({ body }) => parseDocument(body).contents === null)) return undefined;
  return rest.map(({ marker, body }, index) => (index === 0 && at === 0 ? '' : marker) + body).join('');
}

/** A document and its first line. Every line that starts with `---` starts a document. */
interface Part {
  readonly marker: string;
  readonly body: string;
}

function partsOf(text: string): Part[] {
  const pieces = text.split(/^(---(?:[ \t].*)?(?:\r?\n|$))/m);
  const parts: Part[] = pieces[0] === '' && pieces.length > 1 ? [] : [{ marker: '', body: pieces[0]! }];
  for (let at = 1; at < pieces.length; at += 2) parts.push({ marker: pieces[at]!, body: pieces[at + 1] ?? '' });
  return parts;
}

function indexOf(parts: readonly Part[], { kind, name, namespace }: ObjectName, file: string): number {
  const at = parts.findIndex(({ body }) => {
    const document = parseDocument(body, { logLevel: 'silent' });
    return (
      document.errors.length === 0 &&
      document.get('kind') === kind &&
      document.getIn(['metadata', 'name']) === name &&
      (namespace === undefined || document.getIn(['metadata', 'namespace']) === namespace)
    );
  });
  if (at >= 0) return at;
  throw new CliError(`${file} does not hold ${kind} ${name} as a document of its own: change it by hand`);
}

/** The style of the file, so that unchanged parts stay the same. */
const styleOf = (text: string) => ({
  lineWidth: 0,
  indent: /^ {2}\S/m.test(text) ? 2 : /^ {4}\S/m.test(text) ? 4 : 2,
  indentSeq: !/^( *)[^\s#-][^\n]*:[ \t]*\n\1- /m.test(text),
  flowCollectionPadding: /\{ /.test(text),
});
