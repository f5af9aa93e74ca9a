/** What Karpenter takes in fields of a NodePool, in files and in what overrides make of them. */
export const weights = { least: 1, most: 100 } as const;

/** The last one is of v1beta1. */
export const consolidationPolicies = [
  'WhenEmpty',
  'WhenEmptyOrUnderutilized',
  'Balanced',
  'WhenUnderutilized',
] as const;

/** Narrower than Go's durations: no fractions, and no milliseconds. */
export const isNodeDuration = (text: string): boolean => /^([0-9]+(s|m|h))+$/.test(text);
