import type { FleetConfig } from '../api/gitfleet.ts';

/** As `spec.forge` of fleet.yaml says. */
export type NamedForge = NonNullable<FleetConfig['spec']['forge']>;

export interface ForgeAddress {
  readonly kind: 'github' | 'gitlab' | 'gitea';
  /** `owner/name`; at GitLab also deeper. */
  readonly repository: string;
  /** The server, or at GitHub its API, without a slash at its end; undefined: unknown. */
  readonly baseURL: string | undefined;
}

/** The forge that fleet.yaml names; what it leaves out comes from the address of the repository. Undefined: a plain git server. */
export function forgeAddress(named: NamedForge | undefined, address: string | undefined): ForgeAddress | undefined {
  const found = address === undefined ? undefined : partsOf(address);
  const kind = named?.kind ?? (found && kindOf(found.host));
  const repository = named?.repository ?? found?.path;
  if (kind === undefined || kind === 'none' || repository === undefined || !repository.includes('/')) return undefined;
  const isOfHost = found !== undefined && (named?.repository === undefined || kindOf(found.host) === kind);
  const written = named?.baseURL?.replace(/\/+$/, '');
  const baseURL =
    (kind === 'github' ? written && apiOfGitHub(written) : written) ??
    (isOfHost ? usualURL(kind, found) : usualURLs[kind]);
  return { kind, repository, baseURL };
}

const hosts: Readonly<Record<string, ForgeAddress['kind']>> = {
  'github.com': 'github',
  'ssh.github.com': 'github',
  'gitlab.com': 'gitlab',
  'altssh.gitlab.com': 'gitlab',
  'codeberg.org': 'gitea',
};

/** `gitlab.example.com` is a GitLab. */
const words: Readonly<Record<string, ForgeAddress['kind']>> = {
  github: 'github',
  gitlab: 'gitlab',
  gitea: 'gitea',
  forgejo: 'gitea',
};

const kindOf = (host: string): ForgeAddress['kind'] | undefined => hosts[host] ?? words[host.split('.')[0]!];

/** Where the repo has no host: the server that everybody means. */
export const usualURLs: Readonly<Record<ForgeAddress['kind'], string | undefined>> = {
  github: 'https://api.github.com',
  gitlab: 'https://gitlab.com',
  gitea: undefined,
};

/** Of GitHub the web server may be written in place of its API: `https://HOST` for `https://HOST/api/v3`. */
function apiOfGitHub(baseURL: string): string {
  const { host, origin, pathname } = new URL(baseURL);
  if (pathname !== '/' || host.startsWith('api.')) return baseURL;
  if (hosts[host] === 'github') return usualURLs.github!;
  // GitHub Enterprise Cloud with data residency.
  return host.endsWith('.ghe.com') ? `https://api.${host}` : `${origin}/api/v3`;
}

function usualURL(kind: ForgeAddress['kind'], { host, origin }: Parts): string | undefined {
  if (hosts[host] !== undefined && kind !== 'gitea') return usualURLs[kind];
  return kind === 'github' ? `${origin}/api/v3` : origin;
}

/** Of the address of a repo: its host, and the web server there. */
interface Parts {
  readonly host: string;
  readonly origin: string;
  readonly path: string;
}

/** Of `https://HOST/OWNER/NAME.git`, `ssh://git@HOST/OWNER/NAME.git` and `git@HOST:OWNER/NAME.git`; undefined for a path. */
export function partsOf(address: string): Parts | undefined {
  const [, scheme, name = '', port = '', path = ''] =
    /^(https?|ssh):\/\/(?:[^@/]+@)?([^:/]+)(:\d+)?\/(.+)$/.exec(address) ??
    /^()(?:[^@/]+@)?([^:/]{2,})():(?!\/\/)(.+)$/.exec(address) ??
    [];
  if (name === '') return undefined;
  const host = name.toLowerCase();
  const isWeb = scheme === 'http' || scheme === 'https';
  return {
    host,
    origin: isWeb ? `${scheme}://${host}${port}` : `https://${host}`,
    path: path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, ''),
  };
}
