/** The response of /version for a text such as `v1.32.4`. */
export function versionInfo(gitVersion: string): Record<string, string> {
  const [, major = '1', minor = '0'] = /^v?(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return {
    major,
    minor,
    gitVersion,
    gitCommit: '0000000000000000000000000000000000000000',
    gitTreeState: 'clean',
    buildDate: '2025-01-01T00:00:00Z',
    goVersion: 'go1.23.8',
    compiler: 'gc',
    platform: 'linux/amd64',
  };
}
