/**
 * What `.gitfleetignore` leaves out of a fleet, by path: the lines of a `.gitignore`, without sets in brackets. Later lines win, and a
 * line for a folder is one for everything in it.
 */
export function ignoredBy(text: string): (path: string) => boolean {
  const rules = text.split('\n').flatMap(ruleOf).reverse();
  if (rules.length === 0) return () => false;
  return (path) => {
    const parts = path.split('/');
    const last = rules.find(({ pattern }) => matches(pattern, parts, { any: anyFolders, one: isNamed }));
    return last?.ignores ?? false;
  };
}

interface Rule {
  readonly ignores: boolean;
  readonly pattern: readonly string[];
}

const anyFolders = '**';

function ruleOf(line: string): Rule[] {
  const written = line.trim();
  if (written === '' || written.startsWith('#')) return [];
  const ignores = !written.startsWith('!');
  const path = ignores ? written : written.slice(1);
  const pattern = path.split('/').filter((part) => part !== '');
  if (pattern.length === 0) return [];
  const onlyFolders = path.endsWith('/');
  // A slash before the end ties the line to the root.
  const isTied = (onlyFolders ? path.slice(0, -1) : path).includes('/');
  const below = onlyFolders ? ['*', anyFolders] : [anyFolders];
  return [{ ignores, pattern: [...(isTied ? [] : [anyFolders]), ...pattern, ...below] }];
}

const isNamed = (pattern: string, name: string): boolean =>
  matches([...pattern], [...name], { any: '*', one: (letter, other) => letter === '?' || letter === other });

/** Without backtracking beyond the last wildcard: a hostile pattern costs no more than its length times that of the path. */
function matches(
  pattern: readonly string[],
  items: readonly string[],
  { any, one }: { readonly any: string; readonly one: (pattern: string, item: string) => boolean },
): boolean {
  let [at, item, wildcard, resume] = [0, 0, -1, 0];
  while (item < items.length) {
    if (pattern[at] === any) {
      wildcard = at++;
      resume = item;
    } else if (at < pattern.length && one(pattern[at]!, items[item]!)) {
      at++;
      item++;
    } else if (wildcard >= 0) {
      at = wildcard + 1;
      item = ++resume;
    } else return false;
  }
  return pattern.slice(at).every((rest) => rest === any);
}
