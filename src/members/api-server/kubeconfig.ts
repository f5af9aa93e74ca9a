import { readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import type { ClusterName } from '../../api/meta.ts';
import { httpTransport } from './http-transport.ts';
import type { Transport } from './transport.ts';

/** Connections from kubeconfigs: one context for each member, or a directory with one file for each member. */
export interface Connections {
  readonly names: readonly ClusterName[];
  /** Undefined when no kubeconfig has the member. Reads changed files again, since users add members at any time. */
  open(name: ClusterName): Promise<Transport | undefined>;
  /** How its API server is reached, without credentials; undefined when no kubeconfig has the member. */
  endpoint(name: ClusterName): Promise<Endpoint | undefined>;
}

/** The fields of a cluster in a kubeconfig, with files as data. */
export interface Endpoint {
  readonly server: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'proxy-url'?: string;
}

/** Finds alias cycles in a YAML file, of which client-node's parser makes values that contain themselves. */
export type FaultIn = (
  text: string,
) => { readonly line: number; readonly column: number; readonly message: string; readonly fix: string } | undefined;

type Read = (name: ClusterName) => Promise<KubeConfig | undefined>;

/**
 * Reads a kubeconfig file (each context is a member), several as in KUBECONFIG (the first context of a name wins), or a directory
 * (`eu-1.yaml` or `eu-1` is member eu-1). Rejects when there is nothing to read.
 */
export async function connectionsOf(path: string, faultIn: FaultIn = () => undefined): Promise<Connections> {
  // Loaded here because only commands that connect to members need it. The rest of client-node (exec, attach, cp) is not loaded.
  const { KubeConfig: Config } = await import('@kubernetes/client-node/dist/config.js');
  const load = (file: string): KubeConfig => {
    const fault = faultIn(readFileSync(file, 'utf8'));
    if (fault) throw new Error(`${file}:${fault.line}:${fault.column}: ${fault.message}: ${fault.fix}`);
    const config = new Config();
    config.loadFromFile(file);
    return config;
  };
  const whole = await stat(path).catch(() => undefined);
  if (whole?.isDirectory()) return fromDirectory(path, load);
  const files = whole === undefined && path.includes(delimiter) ? path.split(delimiter).filter(Boolean) : [path];
  return fromFiles(files, load, (options) => {
    const config = new Config();
    config.loadFromOptions(options);
    return config;
  });
}

async function fromDirectory(path: string, load: (file: string) => KubeConfig): Promise<Connections> {
  const files = async (): Promise<ReadonlyMap<ClusterName, string>> =>
    new Map(
      (await readdir(path))
        .filter((entry) => !entry.startsWith('.'))
        .map((entry) => [memberOf(entry), join(path, entry)]),
    );
  const known = new Map<
    ClusterName,
    { readonly file: string; readonly written: string; readonly config: KubeConfig }
  >();
  const read: Read = async (name) => {
    const before = known.get(name);
    if (before && before.written === (await writtenOf(before.file))) return before.config;
    const file = (await files()).get(name);
    if (file === undefined) return undefined;
    const written = await writtenOf(file);
    const config = load(file);
    known.set(name, { file, written, config });
    return config;
  };
  return connectionsBy([...(await files()).keys()], read);
}

/** Changes when a file is written again. A mounted Secret is replaced as a whole, by a link. */
async function writtenOf(file: string): Promise<string> {
  const time = await stat(file).catch(() => undefined);
  return time ? `${time.ino} ${time.mtimeMs} ${time.size}` : '';
}

/** Names of members may contain dots, so only the endings of kubeconfig files are removed. */
const memberOf = (entry: string): ClusterName => entry.replace(/\.(ya?ml|json|conf|config|kubeconfig)$/, '');

type Parts = Pick<KubeConfig, 'clusters' | 'users' | 'contexts'> & { readonly currentContext: string };

async function fromFiles(
  files: readonly string[],
  load: (file: string) => KubeConfig,
  configOf: (parts: Parts) => KubeConfig,
): Promise<Connections> {
  let known:
    | {
        readonly written: string;
        readonly parts: Omit<Parts, 'currentContext'>;
        readonly configs: Map<ClusterName, KubeConfig>;
      }
    | undefined;

  /** Parses the files only when one changed, since a fleet calls this once for each member. */
  async function present(): Promise<NonNullable<typeof known>> {
    const times = await Promise.all(files.map((file) => stat(file).catch(absentOf(files))));
    const written = times.map((time) => (time ? `${time.mtimeMs} ${time.size}` : '')).join();
    if (known?.written !== written) {
      const configs = files.filter((_, at) => times[at] !== undefined).map(load);
      if (configs.length === 0) throw new Error('none of these files exists');
      known = {
        written,
        parts: {
          clusters: firstOfEach(configs.flatMap(({ clusters }) => clusters)),
          users: firstOfEach(configs.flatMap(({ users }) => users)),
          contexts: firstOfEach(configs.flatMap(({ contexts }) => contexts)),
        },
        configs: new Map(),
      };
    }
    return known;
  }

  const read: Read = async (name) => {
    const { parts, configs } = await present();
    if (!parts.contexts.some((context) => context.name === name)) return undefined;
    const config = configs.get(name) ?? configOf({ ...parts, currentContext: name });
    configs.set(name, config);
    return config;
  };
  const { contexts } = (await present()).parts;
  return connectionsBy(
    contexts.map(({ name }) => name),
    read,
  );
}

/** As with kubectl, some of several KUBECONFIG files may be missing, but not a single one. */
const absentOf =
  (files: readonly string[]) =>
  (error: unknown): undefined => {
    if (files.length === 1) throw error;
  };

const firstOfEach = <T extends { readonly name: string }>(items: readonly T[]): T[] => [
  ...new Map(items.toReversed().map((item) => [item.name, item])).values(),
];

const connectionsBy = (names: ClusterName[], read: Read): Connections => ({
  names: names.sort(),
  open: (name) => open(name, read),
  async endpoint(name) {
    const cluster = (await read(name))?.getCurrentCluster();
    if (!cluster) return undefined;
    const { server, caData, caFile, tlsServerName, skipTLSVerify, proxyUrl } = cluster;
    const authority = caData ?? (caFile === undefined ? undefined : readFileSync(caFile).toString('base64'));
    return {
      server,
      ...(authority && { 'certificate-authority-data': authority }),
      ...(tlsServerName && { 'tls-server-name': tlsServerName }),
      ...(skipTLSVerify && { 'insecure-skip-tls-verify': true }),
      ...(proxyUrl && { 'proxy-url': proxyUrl }),
    };
  },
});

async function open(name: ClusterName, read: Read): Promise<Transport | undefined> {
  const config = await read(name);
  return config && httpTransport(config, async () => (await read(name)) ?? config);
}
