import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { crdPath, customDefinition } from '../support/custom-definition.ts';
import { member, placement } from '../support/paper-fleet.ts';
import { images, names, settles, smallFleet, web } from '../support/small-fleet.ts';
import { type VirtualDaemon, VirtualFleet } from '../support/virtual-fleet.ts';

const widgets = customDefinition('Widget');

const open: VirtualFleet[] = [];
afterEach(() => {
  for (const fleet of open.splice(0)) fleet.close();
});

const deploymentPath = '/apis/apps/v1/namespaces/web/deployments/web';

/** A fleet at rest in which another cluster is updated while one is unavailable. */
async function atRest(
  more: Readonly<Record<string, string>> = {},
  spec: Readonly<Record<string, object>> = {},
): Promise<{ fleet: VirtualFleet; one: VirtualDaemon }> {
  const strategy = '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 2, maxSurge: 0}}';
  const files = { ...smallFleet(), 'placements/web.yaml': placement('web', '{placementType: PickAll}', strategy) };
  const fleet = await VirtualFleet.open({ ...files, ...more }, ...names.map((name) => ({ name, ...spec[name] })));
  open.push(fleet);
  const one = fleet.start();
  await settles(fleet, one);
  return { fleet, one };
}

const dashboard = async (fleet: VirtualFleet): Promise<string> =>
  (await fleet.repo.files('fleet-status'))['README.md']!;

interface ClusterStatus {
  readonly clusterName: string;
  readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  readonly failedPlacements?: readonly {
    readonly kind: string;
    readonly name: string;
    readonly condition: { readonly type: string; readonly reason: string; readonly message: string };
  }[];
}

/** The status of a placement on a member: last condition, and each failed object. */
async function status(fleet: VirtualFleet, cluster: string, name = 'web'): Promise<readonly string[]> {
  const text = (await fleet.repo.files('fleet-status'))[`placements/${name}/status.yaml`]!;
  const document = parse(text) as { readonly status: { readonly placementStatuses: readonly ClusterStatus[] } };
  const of = document.status.placementStatuses.find(({ clusterName }) => clusterName === cluster)!;
  const last = of.conditions.at(-1)!;
  return [
    `${last.type} ${last.status} ${last.reason}`,
    ...(of.failedPlacements ?? []).map(
      ({ kind, name, condition: { type, message } }) => `${kind} ${name} ${type}: ${message}`,
    ),
  ];
}

const there = ['Available True AllWorkAreAvailable'];

/** Commits while a member fails; the others must finish, and the branch then rests. */
async function othersGoOn(fleet: VirtualFleet, expected: readonly (string | undefined)[]): Promise<void> {
  fleet.commit(web('web:2'));
  await fleet.run(120);
  expect(images(fleet)).toEqual(expected);
  expect(await status(fleet, 'a')).toEqual(there);
  expect(await status(fleet, 'c')).toEqual(there);
}

/** The status branch does not move while nothing changes. */
async function rests(fleet: VirtualFleet, seconds = 600): Promise<void> {
  const tip = fleet.repo.tip('fleet-status');
  await fleet.run(seconds);
  expect(fleet.repo.tip('fleet-status')).toBe(tip);
}

describe('a member', () => {
  it.each<[what: string, fault: object, cause: string]>([
    ['that is down', { type: 'Unreachable' }, 'ECONNREFUSED'],
    ['that accepts requests and never responds', { type: 'Hang' }, 'nothing received for 10 s'],
    ['that rejects our credentials', { type: 'Unauthorized' }, '401'],
  ])('%s is reported as unreachable, the others continue, and it follows when it is back', async (_, fault, cause) => {
    const { fleet, one } = await atRest();
    fleet.fault('b', fault);
    await fleet.run(90);
    await othersGoOn(fleet, ['web:2', 'web:1', 'web:2']);
    const reported = await dashboard(fleet);
    expect(reported).toMatch(new RegExp(`## Not responding\\n\\n.*\\n\\n- b does not respond since .*Z: .*${cause}`));
    expect(one.metrics.render()).toContain('gitfleet_cluster_connection_status{state="unreachable"} 1');
    expect(await fleet.repo.log('fleet-status')).toContain('b: not responding');
    await rests(fleet);
    fleet.fault('b');
    await settles(fleet, one);
    expect(images(fleet)).toEqual(['web:2', 'web:2', 'web:2']);
    expect(await status(fleet, 'b')).toEqual(there);
    expect(await dashboard(fleet)).not.toContain('Not responding');
  });

  it('without a kubeconfig is reported with a fix, and joins as soon as it has one', async () => {
    const { fleet, one } = await atRest();
    fleet.commit({ 'clusters/d.yaml': member('d') });
    await fleet.run(120);
    expect(await dashboard(fleet)).toContain('- d does not respond: no kubeconfig has this member: add a context');
    await rests(fleet, 120);
    await fleet.join({ name: 'd' });
    await fleet.until('it is there', () => images(fleet)[3] === 'web:1', 60);
    await settles(fleet, one);
    expect(await dashboard(fleet)).not.toContain('Not responding');
  });

  it('that is slow blocks no others, and finishes later', async () => {
    const { fleet, one } = await atRest();
    fleet.fault('b', { type: 'SlowBody', seconds: 8 }, { type: 'Latency', seconds: 1 });
    fleet.commit(web('web:2'));
    await fleet.until('a and c run it', () => images(fleet)[0] === 'web:2' && images(fleet)[2] === 'web:2', 60);
    await settles(fleet, one, 600);
    expect(images(fleet)).toEqual(['web:2', 'web:2', 'web:2']);
    expect(await dashboard(fleet)).not.toContain('Not responding');
  });

  it('that responds with 403 to writes is reported per object, and gets them when they are allowed', async () => {
    const { fleet, one } = await atRest();
    fleet.fault('b', { type: 'Forbidden', verbs: ['patch'], resources: ['deployments.apps'] });
    await othersGoOn(fleet, ['web:2', 'web:1', 'web:2']);
    expect(await status(fleet, 'b')).toEqual([
      'Applied False NotAllWorkHaveBeenApplied',
      expect.stringMatching(/^Deployment web Applied: .*apply Deployment web\/web on b: 403/),
    ]);
    await rests(fleet);
    fleet.fault('b');
    await settles(fleet, one, 600);
    expect(await status(fleet, 'b')).toEqual(there);
  });

  it('that responds with 403 to everything is not healthy: nothing new goes there, nothing is removed, and it heals', async () => {
    const { fleet, one } = await atRest();
    fleet.fault('b', { type: 'Forbidden' });
    await othersGoOn(fleet, ['web:2', 'web:1', 'web:2']);
    const healthy = /type: Healthy\n +status: "False"\n +reason: ReadyzFailed\n +message: .*403/;
    expect((await fleet.repo.files('fleet-status'))['clusters/b.yaml']).toMatch(healthy);
    await rests(fleet);
    fleet.fault('b');
    await settles(fleet, one, 600);
    expect(images(fleet)).toEqual(['web:2', 'web:2', 'web:2']);
  });

  it.each([
    ['throttles', { type: 'TooManyRequests', retryAfterSeconds: 20, probability: 0.5 }],
    ['answers 503 half of the time', { type: 'ServerError', status: 503, probability: 0.5 }],
    ['breaks connections off half of the time', { type: 'Reset', probability: 0.5 }],
    ['keeps its watches silent', { type: 'SilentWatch' }],
  ])('that %s finishes nevertheless, while it lasts', async (_, fault) => {
    const { fleet, one } = await atRest();
    fleet.fault('b', fault);
    fleet.commit(web('web:2'));
    await settles(fleet, one, 3_600);
    expect(images(fleet)).toEqual(['web:2', 'web:2', 'web:2']);
  });

  it('whose admission webhook denies is reported with its message, and gets the object when the webhook allows it', async () => {
    const { fleet, one } = await atRest();
    fleet.fault('b', { type: 'DenyAdmission', message: 'images must be signed', resources: ['deployments.apps'] });
    await othersGoOn(fleet, ['web:2', 'web:1', 'web:2']);
    expect((await status(fleet, 'b'))[1]).toContain('images must be signed');
    await rests(fleet);
    fleet.fault('b');
    await settles(fleet, one, 600);
  });

  it('that is replaced by an empty cluster of the same name gets everything again', async () => {
    const { fleet, one } = await atRest();
    await fleet.join({ name: 'successor' }, 'b');
    expect(images(fleet)).toEqual(['web:1', undefined, 'web:1']);
    await fleet.until('it is there again', () => images(fleet)[1] === 'web:1', 180);
    await fleet.run(70);
    await settles(fleet, one);
    expect(fleet.logged.join()).toContain('b is another cluster than before: everything is applied again');
    expect(await status(fleet, 'b')).toEqual(there);
  });

  it('that is replaced by an empty cluster while no daemon runs gets everything again', async () => {
    const { fleet, one } = await atRest();
    one.kill();
    await fleet.join({ name: 'successor' }, 'b');
    const two = fleet.start();
    await fleet.until('it is there again', () => images(fleet)[1] === 'web:1', 60);
    await settles(fleet, two);
  });

  it.each([-86_400, 86_400])('whose clock is wrong by a day (%s s) is like any other', async (clockSkewSeconds) => {
    const { fleet, one } = await atRest({}, { b: { clockSkewSeconds } });
    fleet.commit(web('web:2'));
    await settles(fleet, one);
    await fleet.ask('b', 'DELETE', deploymentPath);
    await fleet.run(10);
    expect(images(fleet)).toEqual(['web:2', 'web:2', 'web:2']);
    await settles(fleet, one);
    const dates = [...JSON.stringify(await fleet.repo.files('fleet-status')).matchAll(/20\d\d-\d\d-\d\dT/g)].map(
      String,
    );
    expect(new Set(dates)).toEqual(new Set(['2026-11-20T']));
  });

  it('with a wrong generation does not count as available, causes no loop of requests, and blocks no others', async () => {
    let lying = true;
    const { fleet, one } = await atRest();
    one.kill();
    const two = fleet.start({
      through: (transport, name) => async (request) => {
        const answer = await transport(request);
        const lies = name === 'b' && /\/deployments/.test(request.path);
        return lies ? { ...answer, body: told(answer.body) } : answer;
      },
    });
    async function* told(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
      for await (const chunk of body) {
        const text = Buffer.from(chunk).toString('utf8');
        yield Buffer.from(lying ? text.replace(/"observedGeneration":\d+/g, '"observedGeneration":0') : text);
      }
    }
    await othersGoOn(fleet, ['web:2', 'web:2', 'web:2']);
    expect((await status(fleet, 'b'))[0]).toBe('Available False NotAllWorkAreAvailable');
    const before = fleet.requests.length;
    await rests(fleet);
    expect(fleet.requests.slice(before).filter((request) => /PATCH|POST|PUT|DELETE/.test(request))).toEqual([]);
    lying = false;
    await fleet.ask('b', 'PATCH', deploymentPath, { metadata: { annotations: { touched: 'yes' } } }, merge);
    await settles(fleet, two);
    expect(await status(fleet, 'b')).toEqual(there);
  });
});

describe('an object on one member', () => {
  it('with another owner is not changed: the status names the owner, and it is taken over when it is free', async () => {
    const { fleet, one } = await atRest();
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'operator', uid: '1' };
    await fleet.ask('b', 'PATCH', deploymentPath, { metadata: { ownerReferences: [owner] } }, merge);
    await othersGoOn(fleet, ['web:2', 'web:1', 'web:2']);
    expect((await status(fleet, 'b'))[1]).toMatch(/^Deployment web Applied: .*own/);
    await rests(fleet);
    await fleet.ask('b', 'PATCH', deploymentPath, { metadata: { ownerReferences: null } }, merge);
    await settles(fleet, one, 600);
    expect(images(fleet)).toEqual(['web:2', 'web:2', 'web:2']);
  });

  it('whose fields another manager keeps setting is repaired ever less often, and the status names the manager', async () => {
    const { fleet, one } = await atRest();
    const change = { spec: { template: { spec: { containers: [{ name: 'main', image: 'mine:1' }] } } } };
    const before = fleet.requests.length;
    for (let fights = 0; fights < 60; fights++) {
      await fleet.ask('b', 'PATCH', `${deploymentPath}?fieldManager=rival`, change, merge);
      await fleet.run(5);
    }
    const writes = fleet.requests.slice(before).filter((request) => request.startsWith('b PATCH'));
    expect(writes.length).toBeLessThan(15);
    const status = (await fleet.repo.files('fleet-status'))['placements/web/status.yaml']!;
    expect(status).toContain('manager: rival');
    expect(status).toContain('valueInMember: mine:1');
    await settles(fleet, one, 600);
    await fleet.until('the image is ours', () => images(fleet)[1] === 'web:1', 600);
  });

  it('that exceeds a quota is reported with the message of the member, and applied when there is room', async () => {
    let full = false;
    const words = 'deployments.apps "web" is forbidden: exceeded quota: few, used: 1, limited: 1';
    const { fleet, one } = await atRest();
    one.kill();
    const two = fleet.start({
      through: (transport, name) => (request) =>
        full && name === 'b' && request.method === 'PATCH' && request.path.includes('/deployments/')
          ? Promise.resolve(refusal(403, 'Forbidden', words))
          : transport(request),
    });
    await settles(fleet, two);
    full = true;
    await othersGoOn(fleet, ['web:2', 'web:1', 'web:2']);
    expect((await status(fleet, 'b'))[1]).toContain('exceeded quota: few');
    await rests(fleet);
    full = false;
    await settles(fleet, two, 600);
    expect(images(fleet)).toEqual(['web:2', 'web:2', 'web:2']);
  });

  it('whose immutable field changed stays as it is: the status reports it, and a revert fixes it', async () => {
    const { fleet, one } = await atRest();
    const good = smallFleet('web:2')['resources/web.yaml']!;
    fleet.commit({
      'resources/web.yaml': good
        .replace('selector: {matchLabels: {app: web}}', 'selector: {matchLabels: {app: www}}')
        .replace('labels: {app: web}', 'labels: {app: www}'),
    });
    await fleet.run(120);
    expect(images(fleet)).toEqual(['web:1', 'web:1', 'web:1']);
    expect((await status(fleet, 'a'))[1]).toContain('immutable');
    fleet.commit({ 'resources/web.yaml': good });
    await settles(fleet, one, 600);
    expect(images(fleet)).toEqual(['web:2', 'web:2', 'web:2']);
  });

  it('in a namespace that is being removed is reported as waiting for that, and everything is applied again when it is gone', async () => {
    const { fleet, one } = await atRest();
    await fleet.ask('b', 'PATCH', deploymentPath, { metadata: { finalizers: ['example.com/slow'] } }, merge);
    await fleet.ask('b', 'DELETE', '/api/v1/namespaces/web');
    await othersGoOn(fleet, ['web:2', 'web:1', 'web:2']);
    expect((await status(fleet, 'b')).join()).toContain('is being removed since 2026-11-20T10:');
    await rests(fleet);
    await fleet.ask('b', 'PATCH', deploymentPath, { metadata: { finalizers: null } }, merge);
    await settles(fleet, one, 600);
    expect(images(fleet)).toEqual(['web:2', 'web:2', 'web:2']);
  });

  it('of a kind that the member does not serve is reported with a fix, and applied when its CRD arrives', async () => {
    const { fleet, one } = await atRest();
    await fleet.ask('a', 'POST', crdPath, widgets);
    await fleet.ask('c', 'POST', crdPath, widgets);
    fleet.commit({
      'resources/widget.yaml':
        'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: web}\nspec: {size: 1}\n',
    });
    await fleet.run(180);
    expect((await status(fleet, 'a'))[0]).toMatch(/^Available True/);
    expect((await status(fleet, 'c'))[0]).toMatch(/^Available True/);
    expect((await status(fleet, 'b'))[1]).toContain(
      'does not serve Widget of example.com/v1: install its CRD, or place it',
    );
    await rests(fleet);
    await fleet.ask('b', 'POST', crdPath, widgets);
    await settles(fleet, one, 600);
    expect((await fleet.ask('b', 'GET', '/apis/example.com/v1/namespaces/web/widgets/w')).status).toBe(200);
  });

  it('that two placements claim stays with the first; the second reports it, and gets it when the first is gone', async () => {
    const role = 'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: shared}\nrules: []\n';
    const claim = (name: string) =>
      placement(name, '{placementType: PickAll}').replace(
        /resourceSelectors: .*/,
        'resourceSelectors: [{group: rbac.authorization.k8s.io, version: v1, kind: ClusterRole, name: shared}]',
      );
    const { fleet, one } = await atRest({ 'resources/role.yaml': role, 'placements/first.yaml': claim('first') });
    fleet.commit({ 'placements/second.yaml': claim('second') });
    await fleet.run(120);
    expect((await status(fleet, 'b', 'second'))[1]).toContain('already placed by first');
    expect((await status(fleet, 'b', 'first'))[0]).toMatch(/^Available True/);
    await rests(fleet);
    fleet.commit({ 'placements/first.yaml': undefined });
    await settles(fleet, one, 900);
    expect((await status(fleet, 'b', 'second'))[0]).toMatch(/^Available True/);
  });
});

const merge = 'application/merge-patch+json';
/** The refusals of a member. */
function refusal(code: number, reason: string, message: string) {
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
  return { status: code, headers: {}, body: once(JSON.stringify(status)) };
}

async function* once(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}
