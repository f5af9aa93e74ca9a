import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../src/cli/program.ts';
import { type DaemonHttp, serveHttp } from '../src/daemon/http.ts';
import { metrics } from '../src/daemon/report/metrics.ts';
import { parseDuration } from '../src/engine/kernel/duration.ts';
import { parseYaml } from '../src/repo/yaml/parse-yaml.ts';

/** Only the fields that are asked for here. */
interface Deployed {
  readonly kind: string;
  readonly resources?: readonly string[];
  readonly patches?: readonly { readonly path: string }[];
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: { readonly runAsUser: number; readonly runAsGroup: number };
        readonly containers: readonly Container[];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
    readonly selector: { readonly matchLabels: object };
    readonly podSelector: { readonly matchLabels: object };
    readonly ingress: readonly { readonly ports: readonly { readonly port: number }[] }[];
    readonly endpoints: readonly { readonly port: string; readonly path: string }[];
    readonly ports: readonly { readonly name: string; readonly targetPort: string }[];
  };
}
interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

const root = resolve(import.meta.dirname, '..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const files = readdirSync(join(root, 'deploy'), { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.yaml') && !path.startsWith('chart/templates/'),
);
const parsed = new Map(files.map((file) => [file, parseYaml(textOf(`deploy/${file}`), file)]));
const only = (file: string, kind: string): Deployed =>
  parsed
    .get(file)!
    .documents.map(({ value }) => value as Deployed)
    .find((value) => value.kind === kind)!;

const { spec: deployment } = only('base/deployment.yaml', 'Deployment');
const pod = deployment.template.spec;
const container = pod.containers[0]!;
const flag = (name: string): string | undefined =>
  container.args.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1];
const run = program().commands.find((command) => command.name() === 'run')!;

it.each(files)('deploy/%s has no finding of our own reader', (file) => {
  expect(parsed.get(file)!.problems).toEqual([]);
});

it.each(files.filter((file) => file.endsWith('kustomization.yaml')))('deploy/%s lists files that are there', (file) => {
  const { resources, patches = [] } = only(file, 'Kustomization');
  const named = [...resources!, ...patches.map(({ path }) => path)];
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((path) => !existsSync(join(root, 'deploy', dirname(file), path)))).toEqual([]);
});

describe('the deployment', () => {
  it('runs the version of this package', () => {
    expect(container.image.split(':')[1]).toBe((JSON.parse(textOf('package.json')) as { version: string }).version);
  });

  it.each(['base', 'overlay-example'])('of %s starts a command with flags that exist', (folder) => {
    const { args } = only(`${folder}/deployment.yaml`, 'Deployment').spec.template.spec.containers[0]!;
    const known = run.options.map(({ long }) => long);
    expect(args[0]).toBe(run.name());
    expect(args.slice(1).filter((arg) => !known.includes(arg.split('=')[0]!))).toEqual([]);
  });

  it('sets only variables that are documented', () => {
    const documented = textOf('docs/operations.md');
    expect(container.env.filter(({ name }) => !documented.includes(`\`${name.replace(/_FILE$/, '')}\``))).toEqual([]);
  });

  it('mounts every volume it has, under every path it names', () => {
    expect(container.volumeMounts.map(({ name }) => name)).toEqual(pod.volumes.map(({ name }) => name));
    const mounts = container.volumeMounts.map(({ mountPath }) => mountPath);
    const named = [flag('members')!, flag('cache-dir')!, ...container.env.map(({ value }) => value)];
    expect(named.filter((path) => !mounts.some((mount) => path === mount || path.startsWith(`${mount}/`)))).toEqual([]);
  });

  it('gives what is under way time to end before it is killed', () => {
    const grace = run.options.find(({ long }) => long === '--grace-period')!.defaultValue as string;
    expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThan(parseDuration(grace)!);
  });

  it('listens where its port, the image, the network policy and the services look', () => {
    const { name, containerPort } = container.ports[0]!;
    const policy = only('base/networkpolicy.yaml', 'NetworkPolicy').spec;
    expect([
      flag('listen'),
      /^EXPOSE (\d+)$/m.exec(textOf('Dockerfile'))?.[1],
      policy.ingress[0]!.ports[0]!.port,
      only('base/deployment.yaml', 'Service').spec.ports[0]!.targetPort,
      only('monitoring/servicemonitor.yaml', 'ServiceMonitor').spec.endpoints[0]!.port,
    ]).toEqual([`0.0.0.0:${containerPort}`, String(containerPort), containerPort, name, name]);
  });

  it('is what the services and the network policy select', () => {
    const { labels } = deployment.template.metadata;
    expect([
      deployment.selector.matchLabels,
      only('base/deployment.yaml', 'Service').spec.selector,
      only('base/networkpolicy.yaml', 'NetworkPolicy').spec.podSelector.matchLabels,
      only('monitoring/servicemonitor.yaml', 'ServiceMonitor').spec.selector.matchLabels,
    ]).toEqual([labels, labels, labels, labels]);
  });

  it('runs as the user of the image, with its cache where the image has a volume', () => {
    const dockerfile = textOf('Dockerfile');
    const { runAsUser, runAsGroup } = pod.securityContext;
    expect(/^USER (.*)$/m.exec(dockerfile)?.[1]).toBe(`${runAsUser}:${runAsGroup}`);
    expect(/^VOLUME (.*)$/m.exec(dockerfile)?.[1]).toBe(flag('cache-dir'));
  });
});

describe('what is asked over HTTP', () => {
  let http: DaemonHttp;
  beforeAll(async () => {
    http = await serveHttp({
      host: '127.0.0.1',
      port: 0,
      health: { stuck: () => undefined, notReady: () => undefined },
      metrics: metrics(),
      webhookSecret: undefined,
      hinted: () => {},
    });
  });
  afterAll(() => http.close());

  it.each([
    container.startupProbe.httpGet.path,
    container.livenessProbe.httpGet.path,
    container.readinessProbe.httpGet.path,
    only('monitoring/servicemonitor.yaml', 'ServiceMonitor').spec.endpoints[0]!.path,
  ])('%s is answered', async (path) => {
    expect((await fetch(`http://127.0.0.1:${http.port}${path}`)).status).toBe(200);
  });
});
