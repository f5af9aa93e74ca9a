/** Something wrong with a file of the fleet repo, in words that tell what to write instead. */
export interface Problem {
  readonly severity: 'error' | 'warning' | 'info';
  /** Closed, kebab-case: `yaml-syntax`, `unknown-field`, `immutable-field`, … */
  readonly code: string;
  readonly message: string;
  /** What to write instead. */
  readonly fix?: string;
  readonly file?: string;
  /** 1-based. */
  readonly line?: number;
  /** 1-based. */
  readonly column?: number;
  /** Path of an item inside its List, from where `path` goes on; taken away with the look-up of line and column. */
  readonly inside?: readonly (string | number)[];
  /** Dotted path inside the object, `spec.policy.numberOfClusters`. */
  readonly path?: string;
  /** The offending value as text, at most 80 characters; never of a Secret. */
  readonly value?: string;
}
