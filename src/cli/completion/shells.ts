/** Shells that completion supports, and kubectl, which completes for `kubectl gitfleet` in all of them. */
export const shells = ['bash', 'zsh', 'fish', 'kubectl'] as const;
export type Shell = (typeof shells)[number];
