import { readdir, readFile, stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import type { ClusterName } from '../api/meta.ts';
import { httpTransport } from './http-transport.ts';
import type { Transport } from './transport.ts';

/** Members as a kubeconfig knows them: one context each, or a directory with one kubeconfig file each. */
export interface Connections {
  readonly names: readonly ClusterName[];
  /** Undefined when the kubeconfig knows no such member. */
  open(name: ClusterName): Promise<Transport | undefined>;
}

/** Reads a kubeconfig file (contexts are members) or a directory (`eu-1.yaml` or `eu-1` is member eu-1). */
export async function connectionsOf(path: string): Promise<Connections> {
  // client-node costs half a second to load: only commands that talk to members pay for it.
  const { KubeConfig: Config } = await import('@kubernetes/client-node');
  const load = async (file: string): Promise<KubeConfig> => {
    const config = new Config();
    config.loadFromString(await readFile(file, 'utf8'));
    return config;
  };
  if ((await stat(path)).isDirectory()) {
    const files = new Map<string, string>();
    for (const entry of await readdir(path))
      if (!entry.startsWith('.')) files.set(parse(entry).name, join(path, entry));
    return {
      names: [...files.keys()].sort(),
      async open(name) {
        const file = files.get(name);
        return file === undefined ? undefined : httpTransport(await load(file));
      },
    };
  }
  const config = await load(path);
  return {
    names: config
      .getContexts()
      .map((context) => context.name)
      .sort(),
    async open(name) {
      if (!config.getContextObject(name)) return undefined;
      const own = new Config();
      own.loadFromOptions({
        clusters: config.clusters,
        users: config.users,
        contexts: config.contexts,
        currentContext: name,
      });
      return httpTransport(own);
    },
  };
}
