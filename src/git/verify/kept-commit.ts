import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

export interface KeptCommit {
  get(): string | undefined;
  set(commit: string): void;
}

/**
 * A commit of a branch, kept in a small file between starts. It is replaced whole: a crash leaves the old or the new one. `branch`: a
 * line of text; what was kept for another one is not read.
 */
export function keptCommit(file: string, branch: string): KeptCommit {
  let kept: { readonly commit: string | undefined } | undefined;
  const read = (): string | undefined => {
    if (!existsSync(file)) return undefined;
    const [commit = '', of] = readFileSync(file, 'utf8').split('\n');
    return of === branch && /^[0-9a-f]{40}$/.test(commit) ? commit : undefined;
  };
  const get = (): string | undefined => {
    kept ??= { commit: read() };
    return kept.commit;
  };
  return {
    get,
    set(commit: string): void {
      if (get() === commit) return;
      const next = `${file}.new`;
      writeFileSync(next, `${commit}\n${branch}\n`);
      renameSync(next, file);
      kept = { commit };
    },
  };
}
