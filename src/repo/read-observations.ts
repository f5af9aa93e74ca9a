import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { ClusterName } from '../api/meta.ts';
import { type ClusterObservation, clusterObservation } from '../api/observation.ts';
import type { Problem } from '../api/problem.ts';

export interface Observations {
  readonly observations: ReadonlyMap<ClusterName, ClusterObservation>;
  readonly problems: readonly Problem[];
}

/** Reads ClusterObservations from a file (several documents, or a List) or from every YAML and JSON file of a directory. */
export async function readObservations(path: string): Promise<Observations> {
  const directory = (await stat(path)).isDirectory();
  const names = directory ? (await readdir(path)).filter((name) => /\.(ya?ml|json)$/.test(name)).sort() : [''];
  const observations = new Map<ClusterName, ClusterObservation>();
  const problems: Problem[] = [];
  for (const name of names) {
    const file = directory ? join(path, name) : path;
    const documents = parseAllDocuments(await readFile(file, 'utf8'), { logLevel: 'error', merge: true });
    for (const document of Array.isArray(documents) ? documents : []) {
      const [syntax] = document.errors;
      if (syntax) {
        problems.push({
          severity: 'error',
          code: 'yaml-syntax',
          file,
          line: syntax.linePos?.[0].line ?? 1,
          column: syntax.linePos?.[0].col ?? 1,
          message: syntax.message.split('\n')[0]!,
        });
        continue;
      }
      for (const value of itemsOf(document.toJS({ maxAliasCount: 10_000 }))) take(value, file, observations, problems);
    }
  }
  return { observations, problems };
}

function itemsOf(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  const { kind, items } = value as { kind?: string; items?: unknown };
  return kind?.endsWith('List') && Array.isArray(items) ? items : [value];
}

function take(value: unknown, file: string, into: Map<ClusterName, ClusterObservation>, problems: Problem[]): void {
  const result = clusterObservation.safeParse(value);
  if (result.success) {
    const { name } = result.data.metadata;
    if (into.has(name))
      problems.push({
        severity: 'error',
        code: 'duplicate-object',
        file,
        message: `member ${name} is observed twice`,
        fix: 'keep one observation of it',
      });
    into.set(name, result.data);
    return;
  }
  for (const issue of result.error.issues) {
    problems.push({
      severity: 'error',
      code: 'invalid-observation',
      file,
      line: 1,
      column: 1,
      path: issue.path.join('.'),
      message: `${issue.path.join('.') || 'document'}: ${issue.message}`,
      fix: 'see ClusterObservation in the documentation',
    });
  }
}
