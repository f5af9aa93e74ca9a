import { git } from './run-git.ts';

/**
 * Environment in which git runs no filter that the repository's own configuration names: they are programs, often committed ones.
 * What the machine's configuration names (git-lfs) stays. Only commands that compare files of a working tree need this.
 */
export async function filtersOff(dir: string): Promise<Readonly<Record<string, string>>> {
  const listed = await git(['-C', dir, 'config', '--show-scope', '-z', '--name-only', '--get-regexp', filterPattern]);
  const fields = listed.stdout.toString('utf8').split('\0');
  const own = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2)
    if (fields[at] === 'local' || fields[at] === 'worktree') own.add(fields[at + 1]!);
  const first = Number(process.env['GIT_CONFIG_COUNT'] ?? 0);
  const environment: Record<string, string> = { GIT_CONFIG_COUNT: String(first + own.size) };
  // In variables a name may contain any character; after `-c` an equals sign would end it.
  for (const [at, name] of [...own].entries()) {
    environment[`GIT_CONFIG_KEY_${first + at}`] = name;
    environment[`GIT_CONFIG_VALUE_${first + at}`] = name.endsWith('.required') ? 'false' : '';
  }
  return environment;
}

const filterPattern = String.raw`^filter\..*\.(clean|smudge|process|required)$`;
