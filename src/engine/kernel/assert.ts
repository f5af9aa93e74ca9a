/** Checks an invariant. A failure ends the present reconciliation, not the daemon. */
export function assert(claim: boolean, message: string): asserts claim {
  if (!claim) throw new Error(`assertion failed: ${message}`);
}

/** Ends a `switch` over a closed union. */
export function assertNever(value: never): never {
  throw new Error(`assertion failed: unexpected ${JSON.stringify(value)}`);
}
