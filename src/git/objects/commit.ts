/** A commit with its tree, parents, authors and message. */
export interface Commit {
  readonly oid: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  /** Whole, without the last line break. */
  readonly message: string;
}

export interface Signature {
  readonly name: string;
  readonly email: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Parses the text of a commit object; missing fields are empty. */
export function parseCommit(oid: string, text: string): Commit {
  const end = text.indexOf('\n\n');
  const header = end < 0 ? text : text.slice(0, end);
  return {
    oid,
    tree: /^tree ([0-9a-f]+)$/m.exec(header)?.[1] ?? '',
    parents: [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map((match) => match[1]!),
    author: signature(header, 'author'),
    committer: signature(header, 'committer'),
    message: end < 0 ? '' : text.slice(end + 2).trimEnd(),
  };
}

/** First line of a commit's message. */
export const subjectOf = ({ message }: Commit): string => message.split('\n', 1)[0]!;

function signature(header: string, field: 'author' | 'committer'): Signature {
  const [, name = '', email = '', seconds = '0'] =
    new RegExp(`^${field} (.*?) ?<(.*?)> (\\d+)`, 'm').exec(header) ?? [];
  return { name, email, at: Number(seconds) * 1000 };
}
