/** Start of the tests' virtual time. */
export const T0 = '2026-11-20T10:00:00Z';
/** T0 and so many seconds. */
export const at = (seconds: number): string =>
  new Date(Date.parse(T0) + seconds * 1000).toISOString().replace('.000Z', 'Z');
