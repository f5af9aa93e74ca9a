/** Codes of problems, for programs. docs/problems.md explains each. */
export const problemCodes = [
  // Files
  'contents-missing',
  'file-too-large',
  'lfs-pointer',
  'not-utf-8',
  'forbidden-character',
  'case-collision',
  'unsafe-path',
  'symlink',
  'escaping-symlink',
  'submodule',
  'not-rendered',
  'template',
  // YAML
  'yaml-syntax',
  'yaml-alias',
  'yaml-directive',
  'yaml-document',
  'yaml-merge',
  'yaml-tag',
  'duplicate-key',
  'non-string-key',
  'ambiguous-scalar',
  'number-too-large',
  'not-json',
  'half-character',
  'too-deep',
  'too-many-documents',
  'object-too-large',
  // Objects
  'not-an-object',
  'not-placed',
  'unknown-group',
  'unknown-kind',
  'unserved-version',
  'generated-kind',
  'no-simulated-fleet',
  'duplicate-object',
  'being-deleted',
  'name-required',
  'generate-name',
  'invalid-name',
  'name-too-long',
  'namespace-required',
  'namespace-not-allowed',
  'encrypted',
  // Fields
  'field-required',
  'field-not-allowed',
  'exclusive-fields',
  'ignored-field',
  'no-use',
  'v1beta1-field',
  'old-spelling',
  'unknown-field',
  'wrong-type',
  'invalid',
  'invalid-value',
  'out-of-range',
  'duplicate',
  'invalid-duration',
  'invalid-instant',
  'invalid-int-or-percent',
  'invalid-index',
  'invalid-quantity',
  'invalid-label',
  'mangled-label',
  'unquoted-label',
  'unquoted-annotation',
  'invalid-selector',
  'unknown-annotation',
  // Rules of a kind
  'invalid-resource-selectors',
  'invalid-selection-scope',
  'invalid-status-scope',
  'invalid-property',
  'contradiction',
  'selects-nothing',
  'rollout-cannot-move',
  'zero-budget',
  'invalid-scope',
  'invalid-patch',
  'override-collision',
  'too-many-overrides',
  'invalid-budget',
  'invalid-envelope',
  'invalid-freeze',
  'idle-freeze',
  'idle-window',
  'unusable-type',
  // Changes
  'immutable-field',
  'append-only',
  'state-transition',
  'rewound',
  'unverified-commit',
  // Names and selectors of the whole fleet
  'dangling-reference',
  'idle-selector',
  'unlisted-region',
  'no-upgrade-provider',
  'no-price',
  'unknown-property',
  'override-scope',
  'lost-variable',
  'contested-object',
  'no-cluster',
  'not-selected',
  'namespace-not-placed',
  'sealed-secret',
  // Status branch and reconciliation
  'record-unreadable',
  'record-mismatch',
  'record-unproven',
  'foreign-status-commit',
  'unknown-record-folder',
  'lost-snapshot',
  'failing-override',
  'failing-envelope',
  'failing-object',
  'same-cluster-conflict',
  'sorting-label',
  'approval-outside-folder',
  'approval-without-review',
  'early-approval',
  'unused-approval',
  'approval-branch',
  'forge',
  'eviction-refused',
  'node-disruption',
  'plan-not-settled',
] as const;
export type ProblemCode = (typeof problemCodes)[number];

/** A problem with a file of the fleet repo. */
export interface Problem {
  readonly severity: 'error' | 'warning' | 'info';
  readonly code: ProblemCode;
  readonly message: string;
  /** What to write instead. */
  readonly fix?: string;
  readonly file?: string;
  /** 1-based. */
  readonly line?: number;
  /** 1-based. */
  readonly column?: number;
  /** Path of an item inside its List, to which `path` is relative; removed when line and column are added. */
  readonly inside?: readonly (string | number)[];
  /** Dotted path inside the object, `spec.policy.numberOfClusters`. */
  readonly path?: string;
  /** The offending value as text, at most 80 characters; never of a Secret. */
  readonly value?: string;
  /** Of warnings about when nodes may be disrupted: which one, */
  readonly rule?: string;
  /** when it holds; a last span without an end never ends, */
  readonly spans?: readonly { readonly from: string; readonly to?: string }[];
  /** and for which reasons; absent = all. */
  readonly reasons?: readonly string[];
}
