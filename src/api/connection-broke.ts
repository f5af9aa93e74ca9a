const codes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/**
 * Whether a connection broke while it was used, as opposed to: nobody listens, the name is unknown, the time ran out. A server
 * that ends a kept connection just when the next request is under way looks like that.
 */
export const connectionBroke = (error: unknown): boolean => {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
  return codes.has(code) || codes.has(cause?.code);
};
