import { afterEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { type Document, type Files, filesOf, folder, removeFolders } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';
import { app, at, deployment, member, members, namespace, placement, rolling, T0, words } from '../rollout/world.ts';

afterEach(removeFolders);

const head = (name: string) => ({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'ClusterObservation',
  metadata: { name },
  observedAt: T0,
});
const shop: Files = {
  ...members('a b'),
  'web.yaml': placement('{placementType: PickAll}', rolling(1, 1)),
  'resources/web.yaml': app('web:1'),
};

/** Plans the shop once without a look at its members, then with these files as `--observed`. */
async function observed(files: Files, options: { readonly repo?: Files; readonly now?: string } = {}) {
  const [repo, recorded, seen] = [folder(options.repo ?? shop), folder(), folder(files)];
  await cli('plan', '--repo', repo, '--now', T0, '--out-recorded', recorded);
  return plan(repo, recorded, seen, options.now);
}

async function plan(repo: string, recorded: string, seen: string | undefined, now = T0) {
  const flags = ['--repo', repo, '--recorded', recorded, '--now', now, '-o', 'json'];
  const { out, code } = await cli('plan', ...flags, ...(seen === undefined ? [] : ['--observed', seen]));
  return { code, plan: JSON.parse(out) as Document };
}

const conditionsOn = ({ plan: { placements } }: { readonly plan: Document }, cluster: string): string[] =>
  words(placements[0].bindings.find(({ clusterName }: Document) => clusterName === cluster)?.conditions);
const reasonsFor = ({ plan: { placements } }: { readonly plan: Document }, cluster: string): string =>
  placements[0].decisions.find(({ clusterName }: Document) => clusterName === cluster).reason;
const done = { placement: { kind: 'ClusterResourcePlacement', name: 'web' }, resourceSnapshotIndex: 0 };
const available = ['RolloutStarted=True/RolloutStarted', 'Overridden=True/NoOverrideSpecified'];
const applied = 'Applied=True/AllWorkHaveBeenApplied';
const synchronized = 'WorkSynchronized=True/AllWorkSynced';

describe('--observed', () => {
  const eu = { ...head('a'), placements: [done], objects: [namespace, deployment(2)] };
  const us = { ...head('b'), placements: [done], objects: [namespace, deployment(2)] };
  const whole = [...available, synchronized, applied, 'Available=True/AllWorkAreAvailable'];

  it.each<[string, Files]>([
    ['a file for each member', { 'a.yaml': stringify(eu), 'b.yml': stringify(us) }],
    ['JSON', { 'a.json': JSON.stringify(eu), 'b.json': JSON.stringify(us) }],
    ['several documents in a file', { 'all.yaml': `${stringify(eu)}---\n${stringify(us)}` }],
    ['a List', { 'all.json': JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [eu, us] }) }],
    ['folders in the folder', { 'eu/a.yaml': stringify(eu), 'us/b.yaml': stringify(us) }],
    ['with other files', { 'a.yaml': stringify(eu), 'b.yaml': stringify(us), 'README.md': '# seen' }],
  ])('may be %s', async (_, files) => {
    const step = await observed(files);
    expect(step.plan.problems).toEqual([]);
    expect([conditionsOn(step, 'a'), conditionsOn(step, 'b')]).toEqual([whole, whole]);
  });

  const bomb = (levels: number): string =>
    Array.from(
      { length: levels },
      (_, at) =>
        `x${at}: &a${at} [${Array(9)
          .fill(at === 0 ? 'y' : `*a${at - 1}`)
          .join(', ')}]`,
    ).join('\n');
  it.each<[what: string, text: string, reported: string[]]>([
    ['is no YAML', 'kind: ClusterObservation\nmetadata: {name: a\n', ['yaml-syntax', ':3:1']],
    ['is no YAML and holds a Secret', 'kind: Secret\ndata: {a: [hunter2}\n', ['yaml-syntax', ':2:19']],
    ['is an alias bomb', `${stringify(eu)}${bomb(9)}\n`, ['yaml-alias', ':38:10']],
  ])('that %s is a problem with its place: nothing is concluded of the member', async (_, text, [code, place]) => {
    const step = await observed({ 'a.yaml': text });
    const { problems } = step.plan;
    expect(problems.map((it: Document) => [it.code, `:${it.line}:${it.column}`])).toEqual([[code, place]]);
    expect(problems[0].message).not.toMatch(/ at line /);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
    expect(step.code).toBe(2);
  });

  it('needs a name and no more: reachable, complete, holding nothing, seen now', async () => {
    const { observedAt: _, ...least } = head('a');
    const step = await observed({ 'a.yaml': stringify(least), 'b.yaml': stringify(us) });
    expect(step.plan.problems).toEqual([]);
    expect(conditionsOn(step, 'a')).toEqual(available);
    expect(reasonsFor(step, 'a')).toMatch(/^picked by scheduling policy/);
  });

  it('an empty field is an absent one', async () => {
    const nulls = { memberStatus: null, placements: null, objects: null, versions: null, upgrade: null, nodes: null };
    const step = await observed({ 'a.yaml': stringify({ ...head('a'), ...nulls }), 'b.yaml': stringify(us) });
    expect(step.plan.problems).toEqual([]);
    expect(conditionsOn(step, 'a')).toEqual(available);
  });

  it('a field that is not known is a warning, and the rest is used', async () => {
    const step = await observed({ 'a.yaml': stringify({ ...eu, reachabel: false }), 'b.yaml': stringify(us) });
    expect(step.code).toBe(0);
    expect(step.plan.problems).toEqual([
      expect.objectContaining({
        severity: 'warning',
        code: 'unknown-field',
        file: expect.stringMatching(/a\.yaml$/),
        path: 'reachabel',
        fix: expect.stringContaining('reachable'),
      }),
    ]);
    expect(conditionsOn(step, 'a')).toEqual(whole);
  });

  it('more fields inside its parts are kept and refuse nothing', async () => {
    const rich = {
      ...eu,
      memberStatus: { conditions: [], observedBy: 'me' },
      placements: [{ ...done, at: T0, done: true, results: [], note: 'x' }],
      versions: { controlPlane: 'v1.30.9', pools: [], more: 1 },
    };
    const step = await observed({ 'a.yaml': stringify(rich), 'b.yaml': stringify(us) });
    expect(step.plan.problems).toEqual([]);
    expect(conditionsOn(step, 'a')).toEqual(whole);
  });

  it.each<[string, unknown]>([
    ['no object', 'web'],
    ['nothing', null],
    ['no apiVersion', { kind: 'ConfigMap', metadata: { name: 'x' } }],
    ['an apiVersion that is not a string', { apiVersion: 1, kind: 'ConfigMap', metadata: { name: 'x' } }],
    ['no name', { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }],
    [
      'a namespace that is not a string',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: [] } },
    ],
  ])('a live object with %s is an error, and its member counts as not observed', async (_, object) => {
    const step = await observed({
      'a.yaml': stringify({ ...eu, objects: [...eu.objects, object] }),
      'b.yaml': stringify(us),
    });
    expect(step.plan.problems.map((it: Document) => [it.severity, it.path])).toEqual([['error', 'objects.2']]);
    expect([conditionsOn(step, 'a'), conditionsOn(step, 'b'), step.code]).toEqual([available.slice(0, 1), whole, 2]);
  });

  it('a field of the wrong type, a document of another kind or a second one of a member is an error', async () => {
    const wrong = { ...eu, reachable: 'yes' };
    const other = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } };
    const step = await observed({
      'a.yaml': stringify(wrong),
      'b.yaml': `${stringify(us)}---\n${stringify(us)}`,
      'c.yaml': stringify(other),
      'd.yaml': stringify({ ...eu, observedAt: 'yesterday' }),
    });
    expect(step.code).toBe(2);
    expect(
      step.plan.problems.map(({ severity, file, path, code }: Document) =>
        [severity, file.split('/').at(-1), code, path].filter(Boolean).join(' '),
      ),
    ).toEqual([
      'error a.yaml wrong-type reachable',
      'error b.yaml duplicate-object',
      'error c.yaml invalid-value apiVersion',
      'error c.yaml invalid-value kind',
      'error d.yaml invalid-instant observedAt',
    ]);
  });
});

describe('what is concluded from an observation', () => {
  it('a member without a document is unreachable: nothing new goes there, what it has stands', async () => {
    const step = await observed({ 'a.yaml': stringify({ ...head('a'), placements: [done] }) }, { now: at(3600) });
    expect(step.plan.targets.map(({ clusterName }: Document) => clusterName)).toEqual(['a', 'b']);
    expect(conditionsOn(step, 'b')).toEqual(available.slice(0, 1));
    const { plan: fresh } = await plan(folder(shop), folder(), folder());
    expect([fresh.targets, fresh.problems]).toEqual([[], []]);
  });

  it('a member that was not reached counts by its last contact, where one is known', async () => {
    const down = { ...head('a'), reachable: false, cause: 'refused' };
    const { observedAt: _, ...never } = down;
    const targets = async (seen: Document, now: string): Promise<string[]> => {
      const files = folder({ 'a.yaml': stringify(seen) });
      const { plan: made } = await plan(folder({ ...shop, ...members('a') }), folder(), files, now);
      expect(made.problems).toEqual([]);
      return made.targets.map(({ clusterName }: Document) => clusterName);
    };
    expect(await targets(down, at(60))).toEqual(['a']);
    expect(await targets(down, at(301))).toEqual([]);
    expect(await targets(never, at(0))).toEqual([]);
  });

  it('no entry for the index of a binding: nothing is reported about applying', async () => {
    const entry = { ...done, resourceSnapshotIndex: 7 };
    const step = await observed({ 'a.yaml': stringify({ ...head('a'), placements: [entry] }) });
    expect(conditionsOn(step, 'a')).toEqual(available);
  });

  it('done: false is Applied=False', async () => {
    const step = await observed({ 'a.yaml': stringify({ ...head('a'), placements: [{ ...done, done: false }] }) });
    expect(conditionsOn(step, 'a')).toEqual([...available, synchronized, 'Applied=False/ApplyInProgress']);
  });

  it('an object that was not listed in results was applied', async () => {
    const object = { apiVersion: 'v1', kind: 'Namespace', name: 'web' };
    const results = [{ object, result: 'FailedToApply', message: 'no' }];
    const failed = { ...head('a'), placements: [{ ...done, results }], objects: [namespace, deployment(2)] };
    const step = await observed({ 'a.yaml': stringify(failed) });
    expect(conditionsOn(step, 'a')).toEqual([...available, synchronized, 'Applied=False/NotAllWorkHaveBeenApplied']);
  });

  it('an applied object that a complete observation does not show is gone; with an incomplete one it is unknown', async () => {
    const gone = { ...head('a'), placements: [done], objects: [namespace] };
    const step = await observed({ 'a.yaml': stringify(gone) });
    expect(conditionsOn(step, 'a').at(-1)).toMatch(/^Available=False/);
    const partly = await observed({ 'a.yaml': stringify({ ...gone, complete: false }) });
    expect(conditionsOn(partly, 'a').at(-1)).not.toMatch(/^Available=True/);
  });

  it('a digest that is not the target’s: what was applied is not what is wanted', async () => {
    const entry = { ...done, digest: `sha256:${'0'.repeat(64)}` };
    const step = await observed({
      'a.yaml': stringify({ ...head('a'), placements: [entry], objects: [namespace, deployment(2)] }),
    });
    expect(conditionsOn(step, 'a')).not.toContain('Available=True/AllWorkAreAvailable');
  });

  it('objects need no more than apiVersion, kind, metadata and the status that counts', async () => {
    const small = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'web' },
      spec: { replicas: 2 },
      status: { replicas: 2, updatedReplicas: 2, availableReplicas: 2 },
    };
    const bare = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } };
    const step = await observed({ 'a.yaml': stringify({ ...head('a'), placements: [done], objects: [bare, small] }) });
    expect(conditionsOn(step, 'a').at(-1)).toBe('Available=True/AllWorkAreAvailable');
  });
});

describe('eligibility', () => {
  const picky: Files = { ...shop, 'web.yaml': placement('{placementType: PickAll}') };
  const reason = async (status: Document, repo: Files = picky, now = T0): Promise<string> => {
    const seen = folder({ 'a.yaml': stringify({ ...head('a'), memberStatus: status }) });
    return reasonsFor(await plan(folder(repo), folder(), seen, now), 'a');
  };
  const agent = (conditions: Document[], lastReceivedHeartbeat = T0) => ({
    agentStatus: [{ type: 'MemberAgent', conditions, lastReceivedHeartbeat }],
  });
  const joined = { type: 'Joined', status: 'True', reason: 'x' };
  const healthy = { type: 'Healthy', status: 'True', reason: 'x' };

  it('without an agentStatus: joined, healthy, heartbeat at observedAt', async () => {
    expect(await reason({})).toMatch(/^picked/);
    expect(await reason({}, picky, at(300))).toMatch(/^picked/);
    expect(await reason({}, picky, at(301))).toMatch(/no heartbeat since 2026-11-20T10:00:00Z/);
  });

  it('an agentStatus is used as written', async () => {
    expect(await reason(agent([joined, healthy]))).toMatch(/^picked/);
    expect(await reason(agent([healthy]))).toMatch(/has not joined yet/);
    expect(await reason(agent([joined]))).toMatch(/health of the member agent is unknown/);
    expect(await reason(agent([joined, healthy], at(-301)))).toMatch(/no heartbeat since/);
    expect(await reason({ agentStatus: [] })).toMatch(/member agent is not online/);
  });

  it('without --observed it is what the repo writes, else reachable', async () => {
    const { plan: unwritten } = await plan(folder(picky), folder(), undefined);
    expect(reasonsFor({ plan: unwritten }, 'a')).toMatch(/^picked/);
    const written = `${member('a')}status: ${JSON.stringify({ agentStatus: [] })}\n`;
    const { plan: offline } = await plan(folder({ ...picky, 'clusters/a.yaml': written }), folder(), undefined);
    expect(reasonsFor({ plan: offline }, 'a')).toMatch(/member agent is not online/);
  });

  it('a member that is leaving is not eligible, whatever its status', async () => {
    const leaving = member('a').replace('labels:', `deletionTimestamp: "${T0}", labels:`);
    expect(await reason({}, { ...picky, 'clusters/a.yaml': leaving })).toMatch(/cluster is leaving the fleet/);
  });

  it('labels and taints come from the repo; properties and usage from the observation', async () => {
    const affinity = `{placementType: PickAll, affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [{propertySelector: {matchExpressions: [{name: kubernetes-fleet.io/node-count, operator: Ge, values: ["3"]}]}}]}}}}`;
    const repo = { ...shop, 'web.yaml': placement(affinity) };
    const count = (value: string) => ({ properties: { 'kubernetes-fleet.io/node-count': { value } } });
    expect(await reason(count('3'), repo)).toMatch(/^picked/);
    expect(await reason(count('2'), repo)).toMatch(/does not match any of the required cluster affinity terms/);
  });
});

describe('what observe writes', () => {
  it('is read by plan: the record keeps no heartbeat and no observation time', async () => {
    const recorded = folder();
    const status = {
      agentStatus: [{ type: 'MemberAgent', conditions: [], lastReceivedHeartbeat: T0 }],
      properties: { 'x/y': { value: '1', observationTime: T0 } },
      resourceUsage: { capacity: { cpu: '4' }, observationTime: T0 },
    };
    const seen = folder({ 'a.yaml': stringify({ ...head('a'), memberStatus: status }) });
    await cli(...['plan', '--repo', folder(members('a')), '--observed', seen, '--now', T0, '--out-recorded', recorded]);
    expect(parse(filesOf(recorded)['clusters/a.yaml']!).status).toEqual({
      agentStatus: [{ type: 'MemberAgent', conditions: [] }],
      properties: { 'x/y': { value: '1' } },
      resourceUsage: { capacity: { cpu: '4' } },
    });
  });
});
