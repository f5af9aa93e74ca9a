import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Removes packages from a node_modules that no code of gitfleet loads. @kubernetes/client-node needs them for exec, attach, cp and
 * port-forward, of which we use none: only its reader of kubeconfigs and models of kinds are loaded. What the reader loads stays,
 * although we may not use it: openid-client and jose (OIDC users), jsonpath-plus (token paths of auth providers), socks and hpagent
 * (proxies of a cluster).
 */
const unused = [
  // Copying files
  'tar-fs', 'tar-stream', 'streamx', 'fast-fifo', 'text-decoder', 'events-universal', 'b4a', 'teex',
  'bare-fs', 'bare-path', 'bare-events', 'bare-stream', 'bare-url', 'bare-buffer',
  // Web sockets
  'isomorphic-ws', 'ws', 'stream-buffers',
  // Forms
  'form-data', 'asynckit', 'combined-stream', 'delayed-stream', 'es-set-tostringtag', 'mime-types', 'mime-db',
  // Types
  '@types', 'undici-types',
];

const [modules = 'node_modules'] = process.argv.slice(2);
for (const name of unused) {
  const path = join(modules, name);
  if (existsSync(path)) rmSync(path, { recursive: true });
}
