import { afterEach, describe, expect, it } from 'vitest';
import { deployment, member, placement } from '../support/paper-fleet.ts';
import { settles } from '../support/small-fleet.ts';
import { VirtualFleet } from '../support/virtual-fleet.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const shop = {
  'clusters/a.yaml': member('a'),
  'clusters/b.yaml': member('b'),
  'web.yaml': placement(
    'web',
    '{placementType: PickAll}',
    '{type: RollingUpdate, rollingUpdate: {maxUnavailable: "100%"}}',
  ),
  'resources/web.yaml': deployment('web', 'web', 'web:1'),
};

describe('a Secret', () => {
  const ours = 'ours-in-the-repo';
  const theirs = 'theirs-on-the-member';
  const secret = (note: string) =>
    `{apiVersion: v1, kind: Secret, metadata: {name: keys, namespace: web}, data: {password: ${base64(ours)}}, stringData: {note: ${note}}}\n`;

  it('reaches the member, and its values reach no log, plan or status file except the copy of the repo', async () => {
    fleet = await VirtualFleet.open({ ...shop, 'resources/keys.yaml': secret('first-note') }, 'a', 'b');
    const daemon = fleet.start();
    await settles(fleet, daemon);
    expect(fleet.stored('a', '/secrets', 'web', 'keys')).toMatchObject({
      data: { password: base64(ours), note: base64('first-note') },
    });

    await fleet.ask(
      'a',
      'PATCH',
      '/api/v1/namespaces/web/secrets/keys',
      { data: { password: base64(theirs) } },
      'application/merge-patch+json',
    );
    await fleet.run(60);
    expect(fleet.stored('a', '/secrets', 'web', 'keys')).toMatchObject({ data: { password: base64(ours) } });

    const refusal = `"${ours}", ${base64(ours)} and "second-note" are too weak`;
    fleet.fault('a', { type: 'DenyAdmission', message: refusal, resources: ['secrets'] });
    fleet.commit({ 'resources/keys.yaml': secret('second-note') });
    await fleet.run(60);
    const [seen] = daemon.plan().placements;
    expect(JSON.stringify(seen!.bindings)).toContain('Secret web/keys could not be applied');

    const broken = secret('third-note').replace('}}\n', '');
    fleet.commit({ 'resources/keys.yaml': broken });
    await fleet.run(30);
    expect(daemon.plan().problems.map(({ code }) => code)).toContain('yaml-syntax');

    const files = Object.entries(await fleet.repo.files('fleet-status')).filter(
      ([path]) => !path.includes('/snapshots/'),
    );
    const { plans, logged } = {
      plans: JSON.stringify(daemon.passes.map(withoutRecord)),
      logged: fleet.logged.join(''),
    };
    expect(JSON.stringify(files)).toContain('(redacted)');
    for (const value of [ours, theirs, 'first-note', 'second-note', 'third-note'])
      for (const form of [value, base64(value)])
        expect([...files, ['plans', plans], ['log', logged]].filter(([, text]) => text!.includes(form))).toEqual([]);
  });
});

const withoutRecord = (pass: object): object => {
  const { plan } = pass as { readonly plan?: object };
  return { ...pass, plan: { ...plan, record: undefined } };
};

describe('a manifest', () => {
  it('reaches the member with unknown fields', async () => {
    const widget = {
      apiVersion: 'acme.io/v1',
      kind: 'Widget',
      metadata: { name: 'w', namespace: 'web' },
      spec: { future: { int: 9007199254740991, float: 0.5, text: '007', off: 'no', none: [], empty: {} } },
      beside: ['spec', { too: true }],
    };
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.acme.io' },
      spec: {
        group: 'acme.io',
        names: { kind: 'Widget', plural: 'widgets' },
        scope: 'Namespaced',
        versions: [
          {
            ...{ name: 'v1', served: true, storage: true },
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    };
    const selectors = `[{group: "", version: v1, kind: Namespace, name: web}, {group: apiextensions.k8s.io, version: v1, kind: CustomResourceDefinition, name: widgets.acme.io}]`;
    fleet = await VirtualFleet.open(
      {
        ...shop,
        'web.yaml': shop['web.yaml'].replace(/resourceSelectors: .*/, `resourceSelectors: ${selectors}`),
        'resources/widget.yaml': `${JSON.stringify(crd)}\n---\n${JSON.stringify(widget)}\n`,
      },
      'a',
      'b',
    );
    await settles(fleet, fleet.start());
    const { metadata, ...stored } = fleet.stored('a', 'acme.io/widgets', 'web', 'w')!;
    expect({ ...stored, metadata: { name: metadata.name, namespace: metadata.namespace } }).toEqual(widget);
  });
});

describe('a broken file', () => {
  it('holds its own object, and the rest of its commit rolls out', async () => {
    const api = {
      'api.yaml': placement(
        'api',
        '{placementType: PickAll}',
        '{type: RollingUpdate, rollingUpdate: {maxUnavailable: "100%"}}',
      ),
      'resources/api.yaml': deployment('api', 'api', 'api:1'),
    };
    fleet = await VirtualFleet.open({ ...shop, ...api }, 'a', 'b');
    const daemon = fleet.start();
    await settles(fleet, daemon);
    fleet.commit({
      'resources/web.yaml': `${deployment('web', 'web', 'web:2')}  ]: {\n`,
      'resources/api.yaml': deployment('api', 'api', 'api:2'),
    });
    await fleet.run(60);
    const image = (name: string) =>
      (fleet.stored('a', 'apps/deployments', name, name) as unknown as Spec).spec.template.spec.containers[0]?.image;
    expect([image('web'), image('api')]).toEqual(['web:1', 'api:2']);
    expect(daemon.plan().holds.map(({ reason, subject }) => `${reason} ${subject.kind} ${subject.name}`)).toContain(
      'LastGoodVersion Deployment web',
    );
    fleet.commit({ 'resources/web.yaml': deployment('web', 'web', 'web:3') });
    await settles(fleet, daemon);
    expect(image('web')).toBe('web:3');
  });
});

interface Spec {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
  };
}
