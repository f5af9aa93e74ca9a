const codes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/**
 * Whether a connection in use broke, as opposed to a refused connection, an unknown name or a timeout. This happens when a server
 * closes a kept connection just as the next request uses it.
 */
export const connectionBroke = (error: unknown): boolean => {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
  return codes.has(code) || codes.has(cause?.code);
};
