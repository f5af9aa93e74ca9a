/** A member with HTTP/2 needs one connection, and briefly another when that one is replaced. */
const filesEach = 2;
/** The git repo and its cache, logs, and clients of /metrics. */
const otherFiles = 500;

/** A warning when the members need more open files than the process may have; undefined when the limit is high enough. */
export function tooFewFiles(members: number, allowed: number | undefined): string | undefined {
  const needed = filesEach * members + otherFiles;
  if (allowed === undefined || allowed >= needed) return undefined;
  return `this process may have ${allowed} files open and ${members} members need about ${needed}: some will not be reached; raise the limit (ulimit -Hn, LimitNOFILE= of systemd)`;
}

/**
 * Open files that this process may have; undefined where there is no limit or it is unknown. Call it before connecting: the
 * report of Node resolves the name of every address that a socket is connected to.
 */
export function allowedFiles(): number | undefined {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft?: number | 'unlimited' } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}
