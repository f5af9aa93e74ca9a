import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LineCounter, parseAllDocuments } from 'yaml';
import type { Issue } from '../api/issue.ts';
import type { ClusterName } from '../api/meta.ts';
import type { ClusterObservation } from '../api/observation.ts';
import type { Problem } from '../api/problem.ts';
import { readObservation } from './observation-fields.ts';
import { holdsSecret } from './yaml/holds-secret.ts';
import { contentsOf } from './yaml/items-of.ts';
import { positionsOf } from './yaml/positions.ts';
import { structureFault } from './yaml/structure-fault.ts';
import { syntaxFinding } from './yaml/syntax.ts';

export interface Observations {
  readonly observations: ReadonlyMap<ClusterName, ClusterObservation>;
  readonly problems: readonly Problem[];
}

/**
 * Reads ClusterObservations from a file (several documents, or a List) or from every YAML and JSON file below a directory.
 * Rejects when the path cannot be read.
 */
export async function readObservations(path: string): Promise<Observations> {
  const observations = new Map<ClusterName, ClusterObservation>();
  const problems: Problem[] = [];
  for (const file of await filesAt(path)) {
    const text = await readFile(file, 'utf8');
    for (const { value, line } of documentsOf(text, file, problems)) {
      const { observation, findings } = readObservation(value);
      problems.push(...located(findings, { file, text, line }));
      if (!observation) continue;
      const { name } = observation.metadata;
      if (observations.has(name))
        problems.push({
          severity: 'error',
          code: 'duplicate-object',
          file,
          line,
          column: 1,
          message: `member ${name} is observed twice`,
          fix: 'keep one observation of it',
        });
      else observations.set(name, observation);
    }
  }
  return { observations, problems };
}

async function filesAt(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = await readdir(path, { recursive: true });
  return names
    .filter((name) => /\.(ya?ml|json)$/.test(name))
    .sort()
    .map((name) => join(path, name));
}

function documentsOf(text: string, file: string, problems: Problem[]): { value: unknown; line: number }[] {
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, {
    logLevel: 'error',
    merge: true,
    lineCounter,
    prettyErrors: false,
    uniqueKeys: false,
  });
  return (Array.isArray(documents) ? documents : []).flatMap((document) => {
    const [syntax] = document.errors;
    if (syntax) {
      const { line, col } = lineCounter.linePos(syntax.pos[0]);
      const finding = syntaxFinding(syntax, holdsSecret(text) ? undefined : text);
      problems.push({ severity: 'error', file, line: Math.max(line, 1), column: Math.max(col, 1), ...finding });
      return [];
    }
    const line = lineCounter.linePos(document.contents?.range?.[0] ?? 0).line;
    const fault = structureFault(document, text);
    if (fault) {
      const { line, col } = lineCounter.linePos(fault.offset);
      problems.push({
        severity: 'error',
        code: fault.code,
        file,
        line,
        column: col,
        message: fault.message,
        fix: fault.fix,
      });
      return [];
    }
    try {
      return contentsOf(document.toJS({ maxAliasCount: 10_000 })).map((value) => ({ value, line }));
    } catch (error) {
      if (!(error instanceof ReferenceError)) throw error;
      const message = 'this document is too large when its aliases are written out';
      const fix = 'write the values out instead of using anchors';
      problems.push({ severity: 'error', code: 'yaml-alias', file, line, column: 1, message, fix });
      return [];
    }
  });
}

function located(
  findings: readonly Issue[],
  { file, text, line }: { readonly file: string; readonly text: string; readonly line: number },
): Problem[] {
  if (findings.length === 0) return [];
  const positions = positionsOf(text);
  return findings.map(({ severity, code, path, message, fix }) => ({
    severity,
    code,
    file,
    ...positions(line, path),
    ...(path.length > 0 ? { path: path.join('.') } : {}),
    message,
    ...(fix === undefined ? {} : { fix }),
  }));
}
