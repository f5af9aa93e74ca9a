import type { FleetConfig } from '../../api/gitfleet.ts';

/** Where a forge lets a person open a pull request (GitLab: merge request); undefined for plain git servers. */
export function requestUrl(
  forge: FleetConfig['spec']['forge'],
  { from, into }: { readonly from: string; readonly into: string },
): string | undefined {
  if (forge?.repository === undefined) return undefined;
  const { kind, repository } = forge;
  const branches = `${encodeURIComponent(into)}...${encodeURIComponent(from)}`;
  switch (kind) {
    case 'github':
      return `${baseOf(forge.baseURL, 'https://github.com')}/${repository}/compare/${branches}?expand=1`;
    case 'gitlab': {
      const query = new URLSearchParams({ 'merge_request[source_branch]': from, 'merge_request[target_branch]': into });
      return `${baseOf(forge.baseURL, 'https://gitlab.com')}/${repository}/-/merge_requests/new?${query}`;
    }
    case 'gitea':
      return forge.baseURL === undefined ? undefined : `${baseOf(forge.baseURL, '')}/${repository}/compare/${branches}`;
    case 'none':
      return undefined;
  }
}

/** GitHub Enterprise names its API in `baseURL`: people look at the host itself. */
const baseOf = (url: string | undefined, usual: string): string =>
  url === undefined || url === 'https://api.github.com'
    ? usual
    : url.replace(/\/+$/, '').replace(/\/api(\/v\d+)?$/, '');
