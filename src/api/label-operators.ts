/** An operator of a metav1.LabelSelector's expression. */
export interface LabelOperator {
  /** Whether its expression lists values: at least one, or none. */
  readonly takesValues: boolean;
  /** Whether a label fulfils it; `value` is undefined if there is no such label. */
  readonly accepts: (value: string | undefined, listed: readonly string[]) => boolean;
  /** `label env in (dev, test)`. */
  readonly text: (key: string, listed: readonly string[]) => string;
}

/** One row per operator, used by the schema, validation, matching and explanations. */
export const labelOperators = {
  In: {
    takesValues: true,
    accepts: (value, listed) => value !== undefined && listed.includes(value),
    text: (key, listed) => `label ${key} in (${listed.join(', ')})`,
  },
  NotIn: {
    takesValues: true,
    accepts: (value, listed) => value === undefined || !listed.includes(value),
    text: (key, listed) => `label ${key} not in (${listed.join(', ')})`,
  },
  Exists: {
    takesValues: false,
    accepts: (value) => value !== undefined,
    text: (key) => `label ${key}`,
  },
  DoesNotExist: {
    takesValues: false,
    accepts: (value) => value === undefined,
    text: (key) => `no label ${key}`,
  },
} as const satisfies Readonly<Record<string, LabelOperator>>;

export type LabelOperatorName = keyof typeof labelOperators;
export const labelOperatorNames = Object.keys(labelOperators) as LabelOperatorName[];
