const first = 'gitfleet.dev/initialized-from';
const approved = 'gitfleet.dev/approved-in';

/** Commits of the fleet repo by which a recorded run can be verified against the followed branch. */
export interface RunCommits {
  /** That it was initialized from; undefined = not, or by an older gitfleet. */
  readonly initializedFrom: string | undefined;
  /** By name of the approval: the commit that held it when its gate was passed. */
  readonly approvedIn: ReadonlyMap<string, string>;
}

type Annotations = Readonly<Record<string, string>>;

/** What the annotations of a recorded run name. */
export function commitsIn(annotations: Annotations | undefined): RunCommits {
  const entries = (annotations?.[approved] ?? '').split(' ').flatMap((text): [string, string][] => {
    const at = text.lastIndexOf('=');
    return at < 0 ? [] : [[text.slice(0, at), text.slice(at + 1)]];
  });
  return { initializedFrom: annotations?.[first], approvedIn: new Map(entries) };
}

/**
 * The annotations of a run to be recorded, with the commit of this plan for what is new in it. `known`: as recorded last, if it was
 * initialized then.
 */
export function withCommitsIn(
  annotations: Annotations | undefined,
  {
    known,
    passed,
    commit,
  }: {
    readonly known: RunCommits | undefined;
    /** Names of the approvals of passed gates. */
    readonly passed: readonly string[];
    readonly commit: string;
  },
): Record<string, string> {
  const entries = passed.map((name) => `${name}=${known?.approvedIn.get(name) ?? commit}`);
  const all = {
    ...annotations,
    [first]: known === undefined ? commit : known.initializedFrom,
    ...(entries.length > 0 && { [approved]: entries.join(' ') }),
  };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
