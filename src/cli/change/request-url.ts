import type { FleetConfig } from '../../api/gitfleet.ts';

/**
 * The page of a forge to open a pull request (GitLab: merge request): the forge that `fleet.yaml` names, else the public one
 * of the address. Undefined for plain git servers and for hosts of an unknown kind.
 */
export function requestUrl(
  named: Forge | undefined,
  { from, into, address }: { readonly from: string; readonly into: string; readonly address: string | undefined },
): string | undefined {
  const forge = named ?? (address === undefined ? undefined : publicForge(address));
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

type Forge = NonNullable<FleetConfig['spec']['forge']>;

const publicForges: Readonly<Record<string, Pick<Forge, 'kind' | 'baseURL'>>> = {
  'github.com': { kind: 'github' },
  'gitlab.com': { kind: 'gitlab' },
  'codeberg.org': { kind: 'gitea', baseURL: 'https://codeberg.org' },
};

/** Of `https://HOST/OWNER/NAME.git`, `ssh://git@HOST/OWNER/NAME.git` and `git@HOST:OWNER/NAME.git`. */
function publicForge(address: string): Forge | undefined {
  const [, host = '', path = ''] =
    /^(?:https|ssh):\/\/(?:[^@/]+@)?([^:/]+)(?::\d+)?\/(.+)$/.exec(address) ??
    /^(?:[^@/]+@)?([^:/]+):(.+)$/.exec(address) ??
    [];
  const forge = publicForges[host.toLowerCase()];
  const repository = path.replace(/\/+$/, '').replace(/\.git$/, '');
  return forge && repository.includes('/') ? { ...forge, repository } : undefined;
}

/** GitHub Enterprise has its API in `baseURL`; the web page is at the host itself. */
const baseOf = (url: string | undefined, usual: string): string =>
  url === undefined || url === 'https://api.github.com'
    ? usual
    : url.replace(/\/+$/, '').replace(/\/api(\/v\d+)?$/, '');
