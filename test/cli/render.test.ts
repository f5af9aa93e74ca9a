import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { folder, put, removeFolders } from '../support/folders.ts';
import { deployment } from '../support/paper-fleet.ts';
import { cli, type Ran } from '../support/run-cli.ts';
import { shop } from '../support/shop.ts';

const patch = (name: string, value: string) => `apiVersion: placement.kubernetes-fleet.io/v1
kind: ResourceOverride
metadata: {name: ${name}, namespace: web}
spec:
  placement: {name: settings, scope: Namespaced}
  resourceSelectors: [{group: "", version: v1, kind: ConfigMap, name: settings}]
  policy:
    overrideRules:
    - clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {region: us}}}]}
      jsonPatchOverrides: [{op: add, path: /data/where, value: "${value}"}]
`;

const written = (files: Readonly<Record<string, string>>): string => {
  const dir = folder();
  put(dir, files);
  return dir;
};

let repo: string;
let broken: string;
beforeAll(() => {
  repo = written(shop);
  broken = written({ ...shop, 'overrides/us.yaml': patch('us', '${MEMBER-CLUSTER-LABEL-KEY-continent}') });
});
afterAll(removeFolders);

const now = ['--now', '2026-11-20T10:00:00Z'];
const render = (...args: readonly string[]): Promise<Ran> => cli('render', '--repo', repo, ...now, ...args);
const titles = (out: string): string[] =>
  parseAllDocuments(out)
    .map((document) => document.toJS() as { kind: string; metadata: { name: string } })
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`);

describe('gitfleet render', () => {
  it('prints what a cluster gets of all placements, as it would be applied', async () => {
    const { code, out, err } = await render('--cluster', 'eu-1');
    expect({ code, err, titles: titles(out) }).toEqual({
      code: 0,
      err: '',
      titles: ['Namespace web', 'ConfigMap settings', 'Deployment web', 'ConfigMap settings'],
    });
  });

  it('reports files that cannot be used', async () => {
    const dir = written({ ...shop, 'overrides/us.yaml': patch('us', 'x').replace('op: add', 'op: move') });
    const { code, err } = await cli('render', '--repo', dir, ...now, '--cluster', 'eu-1');
    expect([code, err]).toEqual([0, 'note: these files cannot be used and are left out: overrides/us.yaml:10:29\n']);
  });

  it('with overrides, for one placement, as a list of JSON too', async () => {
    const { out } = await render('--cluster', 'eu-1', '--placement', 'web', '-o', 'json');
    const list = JSON.parse(out) as { kind: string; items: { kind: string; metadata: { labels: object } }[] };
    expect([list.kind, ...list.items.map(({ kind, metadata }) => [kind, metadata.labels])]).toEqual([
      'List',
      ['Namespace', { 'gitfleet.dev/placement': 'web' }],
      ['ConfigMap', { 'gitfleet.dev/placement': 'web' }],
      ['Deployment', { region: 'eu', 'gitfleet.dev/placement': 'web' }],
    ]);
  });

  it('takes a ResourcePlacement with its namespace or without', async () => {
    const { out } = await render('--cluster', 'dev-1', '--placement', 'web/settings');
    expect(parse(out)).toMatchObject({ kind: 'ConfigMap', data: { a: '1' } });
    expect((await render('--cluster', 'dev-1', '--placement', 'settings')).out).toBe(out);
  });

  it.each<[why: string, args: readonly string[], code: number, err: string]>([
    [
      'an unknown cluster',
      ['--cluster', 'eu-2'],
      2,
      'gitfleet: --cluster: there is no cluster eu-2: did you mean eu-1?\n',
    ],
    [
      'an unknown placement',
      ['--cluster', 'eu-1', '--placement', 'weeb'],
      2,
      'gitfleet: --placement: there is no placement weeb: did you mean web?\n',
    ],
    [
      'a cluster that was not picked',
      ['--cluster', 'dev-1', '--placement', 'web'],
      1,
      'gitfleet: nothing is assigned to dev-1 by web now; gitfleet explain placement web --cluster dev-1 explains why\n',
    ],
    [
      'a cluster that waits for its turn',
      ['--cluster', 'us-1', '--placement', 'pay'],
      1,
      'gitfleet: nothing is assigned to us-1 by pay now: waiting for its turn in stage prod of update run pay-1\n',
    ],
  ])('reports %s', async (_, args, code, err) => {
    expect(await render(...args)).toEqual({ code, out: '', err });
  });

  describe('shows why a cluster is not updated', () => {
    /** What members hold as the record says, in a repo that asks for something else by now. */
    const tenMinutesLater = async (files: Readonly<Record<string, string>>, ...args: string[]): Promise<Ran> => {
      const record = join(folder(), 'record');
      await cli('plan', '--repo', repo, ...now, '--out-recorded', record);
      const later = ['--recorded', record, '--now', '2026-11-20T10:10:00Z'];
      return cli('render', '--repo', written({ ...shop, ...files }), ...later, ...args);
    };
    const freeze = {
      'fleet.yaml':
        'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {freeze: [{name: friday, schedule: "0 10 20 11 *", duration: 1h}]}\n',
    };
    const newer = { 'resources/web.yaml': deployment('web', 'web', 'web:2') };

    it('in a freeze', async () => {
      const { code, out, err } = await tenMinutesLater({ ...newer, ...freeze }, '--cluster', 'eu-1');
      expect({ code, err, image: out.match(/image: (.*)/)?.[1] }).toEqual({
        code: 0,
        err: 'note: web on eu-1 is not updated now: eu-1 is updated once freeze friday ends at 2026-11-20T11:00:00Z\n',
        image: 'web:1',
      });
    });

    it('in a rollout, until its turn comes', async () => {
      const { err, out } = await tenMinutesLater(newer, '--cluster', 'eu-1');
      expect([err, out.match(/image: (.*)/)?.[1]]).toEqual([
        'note: web on eu-1 is not updated now: eu-1 is updated once maxUnavailable 1 allows it (not ready yet: eu-1, us-1)\n',
        'web:1',
      ]);
    });

    it('in a freeze that stops its update run, also where there is nothing to print yet', async () => {
      const frozen = written({ ...shop, ...freeze });
      const at = ['--now', '2026-11-20T10:10:00Z', '--placement', 'pay'];
      expect(await cli('render', '--repo', frozen, ...at, '--cluster', 'us-1')).toEqual({
        code: 1,
        out: '',
        err: 'gitfleet: nothing is assigned to us-1 by pay now: run pay-1 continues with stage dev once freeze friday ends at 2026-11-20T11:00:00Z\n',
      });
    });
  });

  it('shows what fails, and prints what does not', async () => {
    const { code, out, err } = await cli('render', '--repo', broken, ...now, '--cluster', 'us-1');
    expect({ code, titles: titles(out) }).toEqual({
      code: 2,
      titles: ['Namespace web', 'ConfigMap settings', 'Deployment web'],
    });
    expect(err).toBe(
      'note: pay on us-1 is not updated now: waiting for its turn in stage prod of update run pay-1\n' +
        'gitfleet: web/settings cannot be rendered for us-1: override snapshot web/us-0 on v1 ConfigMap web/settings: rule 1, patch 1: add /data/where: cluster us-1 has no label "continent"\n',
    );
  });
});
