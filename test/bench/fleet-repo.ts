import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export type Files = Readonly<Record<string, string>>;

/** A working clone with its own configuration, for `git` to commit in. */
export interface FleetRepo {
  readonly dir: string;
  /** Writes the files and commits everything; returns the commit. */
  commit(files: Files): Promise<string>;
}

export async function openFleetRepo(dir: string, files: Files): Promise<FleetRepo> {
  await mkdir(dir, { recursive: true });
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: dir, encoding: 'utf8' }).trim();
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'bench');
  git('config', 'user.email', 'bench@example.com');
  git('config', 'gc.auto', '0');
  const repo: FleetRepo = {
    dir,
    async commit(changed) {
      await writeFiles(dir, changed);
      git('add', '-A');
      git('commit', '-qm', 'Change');
      return git('rev-parse', 'HEAD');
    },
  };
  await repo.commit(files);
  return repo;
}

export async function writeFiles(dir: string, files: Files): Promise<void> {
  const folders = new Set(Object.keys(files).map((path) => dirname(path)));
  for (const folder of folders) await mkdir(join(dir, folder), { recursive: true });
  await Promise.all(Object.entries(files).map(([path, text]) => writeFile(join(dir, path), text)));
}

/** Calls with a new directory that is gone afterwards. */
export async function inTempDir(work: (dir: string) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'gitfleet-bench-'));
  try {
    await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The files of so many things. */
export const filesOf = (count: number, of: (at: number) => Files): Files =>
  Object.assign({}, ...Array.from({ length: count }, (_, at) => of(at)));

export const clusterName = (at: number): string => `cluster-${String(at).padStart(4, '0')}`;

/** MemberCluster files with labels to choose by. */
export const clusterFiles = (count: number): Files =>
  filesOf(count, (at) => ({
    [`clusters/${clusterName(at)}.yaml`]: `apiVersion: cluster.kubernetes-fleet.io/v1
kind: MemberCluster
metadata:
  name: ${clusterName(at)}
  labels: {region: region-${at % 10}, env: ${at % 3 ? 'prod' : 'dev'}}
spec: {}
`,
  }));

/** As many simulated members under the same names, whose workloads are ready at once. */
export const simulatedFleetFile = (count: number): object => ({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'SimulatedFleet',
  metadata: { name: 'bench' },
  spec: {
    defaults: { readySeconds: { Deployment: 0, StatefulSet: 0, DaemonSet: 0, Pod: 0, Termination: 0 } },
    members: Array.from({ length: count }, (_, at) => ({ name: clusterName(at) })),
  },
});

/** A placement of the namespace of the same name. */
export const placementFile = (name: string, policy: string, maxUnavailable = '100%'): Files => ({
  [`placements/${name}.yaml`]: `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterResourcePlacement
metadata: {name: ${name}}
spec:
  resourceSelectors: [{group: "", version: v1, kind: Namespace, name: ${name}}]
  policy: ${policy}
  strategy:
    type: RollingUpdate
    rollingUpdate: {maxUnavailable: ${maxUnavailable}, maxSurge: ${maxUnavailable}}
`,
});

const configMap = (namespace: string, name: string, value: string): string => `apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, namespace: ${namespace}}
data: {version: "${value}"}
`;

/** A namespace with one ConfigMap: the least that a placement can carry. */
export const smallWorkload = (namespace: string, value: string): Files => ({
  [`resources/${namespace}.yaml`]: `apiVersion: v1
kind: Namespace
metadata: {name: ${namespace}}
---
${configMap(namespace, 'settings', value)}`,
});

/** Ten objects that are applied in three waves: the namespace, what workloads need, the workloads. */
export function tenObjects(namespace: string, image: string): Files {
  const needs = [1, 2, 3, 4].map((at) => configMap(namespace, `settings-${at}`, image));
  const account = `apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: app, namespace: ${namespace}}\n`;
  const apps = [1, 2].flatMap((at) => [deployment(namespace, `app-${at}`, image), service(namespace, `app-${at}`)]);
  const head = `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${namespace}}\n`;
  return { [`resources/${namespace}.yaml`]: [head, ...needs, account, ...apps].join('---\n') };
}

export const deployment = (namespace: string, name: string, image: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: ${namespace}, labels: {app: ${name}}}
spec:
  replicas: 1
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers:
        - name: main
          image: registry.example.com/${name}:${image}
          ports: [{containerPort: 8080, name: http}]
          resources: {requests: {cpu: 100m, memory: 128Mi}, limits: {memory: 256Mi}}
          readinessProbe: {httpGet: {path: /ready, port: http}, periodSeconds: 5}
`;

export const service = (namespace: string, name: string): string => `apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  selector: {app: ${name}}
  ports: [{port: 80, targetPort: http, name: http}]
`;
