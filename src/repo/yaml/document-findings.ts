import { type Document, isMap, isSeq, type YAMLError } from 'yaml';
import type { Problem } from '../../api/problem.ts';
import type { Limits } from './limits.ts';
import { lintDocument } from './lint.ts';
import { isLonger, type Oversized } from './oversized.ts';
import { lineAt, syntaxFinding } from './syntax.ts';
import { withoutValue } from './without-value.ts';

interface Finding extends Pick<Problem, 'code' | 'message' | 'fix' | 'value'> {
  readonly offset: number;
}

interface FindingsContext extends Pick<Limits, 'maxObjectBytes' | 'maxTokens' | 'maxDepth' | 'maxFindings'> {
  readonly text: string;
  /** Whether values of the file must not be quoted. */
  readonly isSecret: () => boolean;
  readonly isFirst: boolean;
}

/** Findings about one document: its size, its syntax, and values that kubectl reads differently. */
export function findingsOf(document: Document.Parsed, context: FindingsContext): Finding[] {
  const { text, maxDepth, maxFindings, isSecret, isFirst } = context;
  const syntax = firstCauses([...document.errors, ...document.warnings])
    // The lint reports tags, including those that YAML itself resolves.
    .filter(({ code }: YAMLError) => code !== 'TAG_RESOLVE_FAILED')
    // Each quotes its line, which takes time.
    .slice(0, maxFindings)
    .map((error): Finding => ({ offset: error.pos[0], ...syntaxFinding(error, isSecret() ? undefined : text) }));
  const lint = lintDocument(document, maxDepth).map((finding, at): Finding => {
    const { value, ...rest } = finding;
    if (at >= maxFindings) return rest;
    if (finding.code === 'duplicate-key' && !isSecret()) return { ...finding, value: lineAt(text, finding.offset) };
    if (finding.value === undefined) return rest;
    return isSecret() ? { ...rest, ...withoutValue(finding.code) } : { ...finding, value: finding.value.slice(0, 80) };
  });
  const findings = [
    ...oversizedObject(document, context),
    ...listOfObjects(document),
    ...directives(document),
    ...(isFirst ? [] : unannounced(document)),
    ...syntax,
    ...lint,
  ];
  if ((syntax.length > 0 || lint.some(({ code }) => code === 'non-string-key')) && beginsWithTemplate(findings, text))
    return [template(findings)];
  // The parser and the lint report each level beyond the limit; the first is enough.
  const deep = findings.filter(({ code }) => code === 'too-deep').sort((a, b) => a.offset - b.offset);
  return [...findings.filter(({ code }) => code !== 'too-deep'), ...deep.slice(0, 1)];
}

/** Only the first error of the parser counts: later ones usually follow from it. */
function firstCauses(errors: readonly YAMLError[]): YAMLError[] {
  const inOrder = errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  return inOrder.filter(({ code }, at) => at === 0 || code !== 'UNEXPECTED_TOKEN');
}

/** Not spread into arguments: a document may have a million findings. */
const firstOf = (findings: readonly Finding[]): number =>
  findings.reduce((first, { offset }) => Math.min(first, offset), Number.POSITIVE_INFINITY);

/** YAML reads the braces of Helm and other templates as maps, which are never valid. */
function beginsWithTemplate(findings: readonly Finding[], text: string): boolean {
  const first = firstOf(findings);
  return text.slice(Math.max(first - 3, 0), first + 2).includes('{{');
}

/** Other findings are dropped, because they may vanish when the template is rendered. */
const template = (findings: readonly Finding[]): Finding => ({
  offset: firstOf(findings),
  code: 'template',
  message: 'gitfleet does not render templates, and this is not valid YAML without rendering',
  fix: 'commit the rendered manifests, put literal braces into quotes, or list the file in .gitfleetignore',
});

/** API servers refuse such an object. A List is exempt: `kubectl get -o yaml` prints one for many objects. */
function oversizedObject(
  { contents }: Document.Parsed,
  { text, maxObjectBytes, maxTokens }: FindingsContext,
): Finding[] {
  const [from, to] = contents?.range ?? [0, 0];
  if (!isLonger(text.slice(from, to), maxObjectBytes)) return [];
  if (isMap(contents) && /List$/.test(String(contents.get('kind'))) && contents.has('items')) return [];
  return [{ offset: from, ...tooLarge('bytes', { maxObjectBytes, maxTokens }) }];
}

/** The finding for a document that exceeds a limit. */
export const tooLarge = (
  cause: Oversized['cause'],
  { maxObjectBytes, maxTokens }: Pick<Limits, 'maxObjectBytes' | 'maxTokens'>,
): Pick<Problem, 'code' | 'message' | 'fix'> => ({
  code: 'object-too-large',
  message:
    cause === 'bytes'
      ? `the object is larger than ${Math.floor(maxObjectBytes / 1024)} KiB, which is more than a cluster accepts`
      : `the document has more than ${maxTokens} tokens`,
  fix: 'split it',
});

/** A plain list of objects, which kubectl refuses: a document is one object, or a List with `items`. */
function listOfObjects({ contents }: Document.Parsed): Finding[] {
  const isObject = (item: unknown): boolean =>
    isMap(item) && ['apiVersion', 'kind'].every((key) => typeof item.get(key) === 'string');
  if (!isSeq(contents) || !contents.items.some(isObject)) return [];
  const message = 'a list is not a Kubernetes object, and nothing in it is placed';
  const fix = 'write each object as a document of its own, with --- between them';
  return [{ offset: contents.range[0], code: 'not-an-object', message, fix }];
}

/** kubectl accepts only `%YAML 1.1`, and we read 1.2, so one of the two refuses any version. */
function directives(document: Document.Parsed): Finding[] {
  const { yaml, tags } = document.directives ?? {};
  if (!yaml?.explicit && Object.keys(tags ?? {}).length <= 1) return [];
  const message = 'programs read directives differently';
  return [{ offset: document.range[0], code: 'yaml-directive', message, fix: 'remove the lines that begin with %' }];
}

/** After `...` kubectl reads on only where a line with --- follows. */
function unannounced(document: Document.Parsed): Finding[] {
  if (document.directives?.docStart || document.contents === null) return [];
  const message = 'kubectl does not read what follows a line with ... up to the next ---';
  return [{ offset: document.contents.range[0], code: 'yaml-document', message, fix: 'write --- above this document' }];
}
