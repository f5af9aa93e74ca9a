import { type Document, isAlias, isScalar, Scalar, visit } from 'yaml';
import type { Problem } from '../api/problem.ts';

/** An honest anchor is used a few dozen times; a bomb grows with every level. */
const maxAliases = 1000;

interface Context {
  readonly file: string;
  readonly at: (offset: number) => { line: number; column: number };
  readonly maxDepth: number;
}

/** What kubectl (YAML 1.1 by way of JSON) would read differently, or not at all, as findings with positions. */
export function lintDocument(document: Document.Parsed, { file, at, maxDepth }: Context): Problem[] {
  const problems: Problem[] = [];
  let aliases = 0;
  const report = (offset: number, code: string, message: string, fix: string, value?: string) =>
    problems.push({
      severity: 'error',
      code,
      file,
      ...at(offset),
      message,
      fix,
      ...(value === undefined ? {} : { value: value.slice(0, 80) }),
    });
  visit(document, {
    Node(key, node, path) {
      const offset = node.range?.[0] ?? 0;
      if (path.length > maxDepth * 2) {
        report(offset, 'too-deep', `nested more than ${maxDepth} levels deep`, 'flatten the document');
        return visit.BREAK;
      }
      if (
        'tag' in node &&
        node.tag !== undefined &&
        !String(node.tag).startsWith('tag:yaml.org,2002:') &&
        node.tag !== '!'
      ) {
        report(offset, 'yaml-tag', `the tag ${node.tag} is not understood`, 'remove the tag', String(node.tag));
      }
      if (isAlias(node)) {
        aliases++;
        if (aliases > maxAliases) {
          report(offset, 'yaml-alias', `more than ${maxAliases} aliases in one document`, 'write the values out');
          return visit.BREAK;
        }
      }
      if (isScalar(node))
        lintScalar(node, key === 'key', (code, message, fix) =>
          report(offset, code, message, fix, node.source ?? String(node.value)),
        );
      return undefined;
    },
  });
  if (problems.length === 0 && explodes(document)) {
    report(
      document.contents?.range?.[0] ?? 0,
      'yaml-alias',
      'aliases of aliases would grow beyond all bounds',
      'write the values out',
    );
  }
  return problems;
}

const boolean11 = /^(y|Y|yes|Yes|YES|n|N|no|No|NO|on|On|ON|off|Off|OFF)$/;

function lintScalar(node: Scalar, isKey: boolean, report: (code: string, message: string, fix: string) => void): void {
  const source = node.source ?? '';
  const plain = node.type === Scalar.PLAIN || node.type === undefined || node.type === null;
  if (!plain) return;
  if (isKey && source === '<<') return;
  if (isKey && typeof node.value !== 'string') {
    report('non-string-key', `the key ${source || String(node.value)} is not a text`, `write "${source}"`);
    return;
  }
  if (boolean11.test(source)) {
    report(
      'ambiguous-scalar',
      `${source} means true or false to kubectl and a text to others`,
      `write "${source}", or true or false`,
    );
  } else if (/^[-+]?0\d+$/.test(source))
    report(
      'ambiguous-scalar',
      `${source} means an octal number to some`,
      `write "${source}", or the number without the leading 0`,
    );
  else if (/^[-+]?0o[0-7]+$/.test(source))
    report(
      'ambiguous-scalar',
      `${source} means an octal number to some and a text to others`,
      'write the decimal number',
    );
  else if (/^[-+]?(0[xb])?[\da-fA-F]+(_[\da-fA-F]+)+(\.\d*)?$/.test(source) && /^[-+\d]/.test(source))
    report(
      'ambiguous-scalar',
      `${source} means a number to kubectl and a text to others`,
      `write "${source}", or the number without _`,
    );
  else if (typeof node.value === 'number' && !Number.isFinite(node.value))
    report('not-json', `${source} cannot be written in JSON`, 'write a finite number');
  else if (
    typeof node.value === 'number' &&
    Number.isInteger(node.value) &&
    !Number.isSafeInteger(node.value) &&
    !/[.eE]/.test(source)
  ) {
    report('number-too-large', `${source} loses digits: numbers are exact up to 9007199254740991`, `write "${source}"`);
  } else if (typeof node.value === 'bigint')
    report('number-too-large', `${source} is too large a number`, `write "${source}"`);
}

/** Nodes after resolving every alias, counted without building them; an honest document stays far below the limit. */
function explodes(document: Document.Parsed): boolean {
  const sizes = new Map<unknown, number>();
  const limit = 1_000_000;
  const size = (node: unknown): number => {
    if (isAlias(node)) {
      const target = node.resolve(document);
      return target === undefined ? 1 : (sizes.get(target) ?? size(target));
    }
    const known = sizes.get(node);
    if (known !== undefined) return known;
    sizes.set(node, 1);
    let total = 1;
    const { items, key, value } = (node ?? {}) as { items?: readonly unknown[]; key?: unknown; value?: unknown };
    if (items) for (const item of items) total += size(item);
    else if (key !== undefined && typeof value === 'object') total += size(value);
    sizes.set(node, Math.min(total, limit + 1));
    return Math.min(total, limit + 1);
  };
  return size(document.contents) > limit;
}
