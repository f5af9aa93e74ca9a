/** A member whose API server speaks HTTP/2 takes one connection, and for a moment another when that one is replaced. */
const filesEach = 2;
/** The git repo and its cache, logs, and whoever asks for metrics. */
const filesBeside = 500;

/** What to say where so many members need more open files than the process may have; undefined where these are enough. */
export function tooFewFiles(members: number, allowed: number | undefined): string | undefined {
  const needed = filesEach * members + filesBeside;
  if (allowed === undefined || allowed >= needed) return undefined;
  return `this process may have ${allowed} files open and ${members} members need about ${needed}: some will not be reached; raise the limit (ulimit -Hn, LimitNOFILE= of systemd)`;
}

/**
 * Files that this process may have open; undefined where nothing limits them, or the system does not say. To be asked before
 * anything is connected: the report that knows it looks up the name of every address that a socket is connected to.
 */
export function allowedFiles(): number | undefined {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft?: number | 'unlimited' } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}
