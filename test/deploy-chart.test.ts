import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { program } from '../src/cli/program.ts';
import type { Document } from './support/folders.ts';

const deploy = resolve(import.meta.dirname, '../deploy');
const textOf = (path: string): string => readFileSync(join(deploy, path), 'utf8');
const documentsOf = (text: string): Document[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter((value) => value !== null);
const templates = readdirSync(join(deploy, 'chart/templates'));
const templateOf = (file: string): string => textOf(`chart/templates/${file}`);
const values: Document = parse(textOf('chart/values.yaml'));

const isThere = (command: string, ...args: string[]): boolean => {
  if (spawnSync(command, args, { stdio: 'ignore' }).status === 0) return true;
  console.warn(`SKIPPED: ${command} is not installed: what it makes of deploy/ is not tested`);
  return false;
};
const helmThere = isThere('helm', 'version');
const kubectlThere = isThere('kubectl', 'version', '--client');

describe('the chart, without Helm', () => {
  it('has the version of this package', () => {
    const { version } = JSON.parse(textOf('../package.json')) as { version: string };
    expect(parse(textOf('chart/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });

  it('uses every value that it has, and no other', () => {
    const used = templates.flatMap((file) =>
      [...templateOf(file).matchAll(/\.Values\.(\w+)/g)].map(([, name]) => name!),
    );
    expect([...new Set(used)].sort()).toEqual(Object.keys(values).sort());
  });

  it('has a schema of exactly these values', () => {
    const keysOf = (schema: Document): object =>
      Object.fromEntries(
        Object.entries<Document>(schema.properties).map(([key, field]) => [
          key,
          field.properties ? keysOf(field) : true,
        ]),
      );
    const shapeOf = (value: Document, schema: Document): object =>
      Object.fromEntries(
        Object.entries<Document>(value).map(([key, field]) => [
          key,
          schema.properties[key]?.properties ? shapeOf(field, schema.properties[key]) : true,
        ]),
      );
    const schema = JSON.parse(textOf('chart/values.schema.json'));
    // Helm itself adds `global`.
    expect(keysOf(schema)).toEqual({ ...shapeOf(values, schema), global: true });
  });

  it.each(templates)('%s closes every block that it opens, and includes what is defined', (file) => {
    const actions = [...templateOf(file).matchAll(/\{\{-?\s*(\w+)/g)].map(([, word]) => word!);
    const count = (...words: string[]) => actions.filter((word) => words.includes(word)).length;
    expect(count('if', 'with', 'range', 'define')).toBe(count('end'));
    const defined = [...templateOf('_helpers.tpl').matchAll(/define "([^"]+)"/g)].map(([, name]) => name!);
    const included = [...templateOf(file).matchAll(/include "([^"]+)"/g)].map(([, name]) => name!);
    expect(included.filter((name) => !defined.includes(name))).toEqual([]);
  });

  it.each(templates)('%s reads only files that the chart has', (file) => {
    const read = [...templateOf(file).matchAll(/\.Files\.Get "([^"]+)"/g)].map(([, path]) => path!);
    expect(read.filter((path) => textOf(`chart/${path}`) === '')).toEqual([]);
  });

  it('starts a command with flags that exist', () => {
    const known = program()
      .commands.find((command) => command.name() === 'run')!
      .options.map(({ long }) => long!);
    const flags = [...templateOf('deployment.yaml').matchAll(/^ +- (--[\w-]+)=/gm)].map(([, flag]) => flag!);
    expect(flags.length).toBeGreaterThan(4);
    expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
  });

  it('has every line of the Deployment of the base, except those that values fill in', () => {
    const linesOf = (text: string) => text.split('\n').map((line) => line.trim());
    const [base] = textOf('base/deployment.yaml').split(/^---$/m);
    const chart = new Set(linesOf(templateOf('deployment.yaml')));
    const filledIn =
      /^(#|name: gitfleet$|namespace:|labels:|matchLabels:|serviceAccountName:|image:|- --repo=|requests:|limits:|emptyDir: \{sizeLimit: 4Gi\}|secret:)/;
    expect(linesOf(base!).filter((line) => !filledIn.test(line) && !chart.has(line))).toEqual([]);
  });

  it('has the resources and the size of the cache of the base', () => {
    const { spec } = documentsOf(textOf('base/deployment.yaml'))[0].spec.template;
    expect(values.resources).toEqual(spec.containers[0].resources);
    expect(values.cache.sizeLimit).toBe(spec.volumes[0].emptyDir.sizeLimit);
  });
});

describe.skipIf(!helmThere)('the chart, rendered by Helm', () => {
  const helm = (...set: string[]) =>
    spawnSync('helm', ['template', 'gitfleet', join(deploy, 'chart'), '--namespace', 'gitfleet', ...set], {
      encoding: 'utf8',
    });
  const repo = ['--set', 'repo=https://git.example.com/platform/fleet.git'];
  const rendered = (...set: string[]): Document[] => {
    const ran = helm(...repo, ...set);
    expect(ran.stderr).toBe('');
    return documentsOf(ran.stdout);
  };
  const only = (all: Document[], kind: string): Document => all.find((one) => one.kind === kind);

  it('is the base by default: the same pod, Service and NetworkPolicy', () => {
    const all = rendered();
    const base = ['deployment', 'networkpolicy', 'rbac'].flatMap((file) => documentsOf(textOf(`base/${file}.yaml`)));
    expect(all.map(({ kind }) => kind).sort()).toEqual(base.map(({ kind }) => kind).sort());
    const { containers, ...pod } = only(all, 'Deployment').spec.template.spec;
    const { containers: own, ...ownPod } = only(base, 'Deployment').spec.template.spec;
    expect(pod).toEqual(ownPod);
    const { args, imagePullPolicy: _, ...container } = containers[0];
    const { args: ownArgs, ...ownContainer } = own[0];
    expect(container).toEqual(ownContainer);
    expect(args.filter((arg: string) => !/^--(status-)?branch=/.test(arg))).toEqual(ownArgs);
    for (const field of ['ingress', 'egress', 'policyTypes'])
      expect(only(all, 'NetworkPolicy').spec[field]).toEqual(only(base, 'NetworkPolicy').spec[field]);
    expect(only(all, 'Service').spec.ports).toEqual(only(base, 'Service').spec.ports);
  });

  it('takes every value', () => {
    const all = rendered(
      ...['--set', 'extraArgs={--interval=1m,--log-level=debug}', '--set', 'cache.persistentVolumeClaim=cache'],
      ...['--set', 'path=apps/fleet'],
      ...['--set', `image.digest=sha256:${'a'.repeat(64)}`, '--set', 'imagePullSecrets[0].name=pull'],
      ...['--set', 'serviceMonitor.enabled=true', '--set', 'serviceMonitor.labels.release=prometheus'],
      ...['--set', 'prometheusRule.enabled=true', '--set', 'grafanaDashboard.enabled=true'],
      ...['--set', 'networkPolicy.enabled=false', '--set', 'podAnnotations.a=b', '--set', 'nodeSelector.disk=fast'],
      ...['--set', 'env[0].name=GITFLEET_FORGE_TOKEN_FILE', '--set', 'env[0].value=/git/forge-token'],
    );
    expect(all.map(({ kind }) => kind).sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'PrometheusRule',
      'Service',
      'ServiceAccount',
      'ServiceMonitor',
    ]);
    const [rule] = documentsOf(textOf('monitoring/prometheusrule.yaml'));
    expect(only(all, 'PrometheusRule').spec).toEqual(rule.spec);
    expect(only(all, 'ConfigMap').data['gitfleet.json']).toBe(textOf('monitoring/grafana-dashboard.json'));
    const { metadata, spec } = only(all, 'Deployment').spec.template;
    expect(spec.containers[0].args).toContain('--path=apps/fleet');
    expect(spec.containers[0].args.slice(-2)).toEqual(['--interval=1m', '--log-level=debug']);
    expect(spec.containers[0].image).toMatch(/^ghcr.io\/gitfleet\/gitfleet:[\d.]+@sha256:a{64}$/);
    expect(spec.containers[0].env.at(-1)).toEqual({ name: 'GITFLEET_FORGE_TOKEN_FILE', value: '/git/forge-token' });
    expect(spec.volumes[0]).toEqual({ name: 'cache', persistentVolumeClaim: { claimName: 'cache' } });
    expect([spec.imagePullSecrets, spec.nodeSelector, metadata.annotations]).toEqual([
      [{ name: 'pull' }],
      { disk: 'fast' },
      { a: 'b' },
    ]);
    expect(only(all, 'ServiceMonitor').metadata.labels.release).toBe('prometheus');
  });

  it('is refused without a repo, and with a value that it does not have', () => {
    expect(helm().stderr).toContain('repo is required');
    expect(helm(...repo, '--set', 'replicas=2').stderr).toMatch(/additional propert/i);
  });
});

describe.skipIf(!kubectlThere)('the overlay, built by kubectl kustomize', () => {
  it('is the base with its patches, and monitoring', () => {
    const all = documentsOf(
      execFileSync('kubectl', ['kustomize', join(deploy, 'overlay-example')], { encoding: 'utf8' }),
    );
    expect(all.map(({ kind }) => kind).sort()).toEqual([
      'Deployment',
      'Namespace',
      'NetworkPolicy',
      'PrometheusRule',
      'Service',
      'ServiceAccount',
      'ServiceMonitor',
    ]);
    const { spec } = all.find(({ kind }) => kind === 'Deployment').spec.template;
    expect(spec.containers[0].args).toContain('--branch=production');
    expect(spec.containers[0].resources.limits).toEqual({ memory: '4Gi' });
    expect(spec.volumes.length).toBe(4);
    expect(all.find(({ kind }) => kind === 'NetworkPolicy').spec.egress[1].to).toHaveLength(2);
  });
});
