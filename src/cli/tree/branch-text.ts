/** A thing with things under it. */
export interface Branching {
  readonly label: string;
  readonly children: readonly Branching[];
}

/** Drawn with lines, as `tree` does. */
export const branchText = ({ label, children }: Branching): string => [label, ...under(children)].join('\n');

function under(children: readonly Branching[]): string[] {
  return children.flatMap(({ label, children: inner }, at) => {
    const last = at === children.length - 1;
    return [`${last ? '└── ' : '├── '}${label}`, ...under(inner).map((line) => `${last ? '    ' : '│   '}${line}`)];
  });
}
