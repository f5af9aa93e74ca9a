import { forgeAddress, type NamedForge } from '../../forge/forge-address.ts';

/**
 * The page of a forge to open a pull request (GitLab: merge request): the forge that `fleet.yaml` names, else the public one
 * of the address. Undefined for plain git servers and for hosts of an unknown kind.
 */
export function requestUrl(
  named: NamedForge | undefined,
  { from, into, address }: { readonly from: string; readonly into: string; readonly address: string | undefined },
): string | undefined {
  const forge = forgeAddress(named, address);
  if (forge?.baseURL === undefined) return undefined;
  const { kind, repository } = forge;
  const page = `${pageOf(forge.baseURL)}/${repository}`;
  const branches = `${encodeURIComponent(into)}...${encodeURIComponent(from)}`;
  switch (kind) {
    case 'github':
      return `${page}/compare/${branches}?expand=1`;
    case 'gitlab': {
      const query = new URLSearchParams({ 'merge_request[source_branch]': from, 'merge_request[target_branch]': into });
      return `${page}/-/merge_requests/new?${query}`;
    }
    case 'gitea':
      return `${page}/compare/${branches}`;
  }
}

/** GitHub Enterprise has its API in `baseURL`; the web page is at the host itself. */
const pageOf = (baseURL: string): string =>
  baseURL === 'https://api.github.com' ? 'https://github.com' : baseURL.replace(/\/api(\/v\d+)?$/, '');
