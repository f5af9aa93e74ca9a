import { describe, expect, it } from 'vitest';
import type { Condition, Manifest } from '../../../src/api/meta.ts';
import { defaultRollingUpdate } from '../../../src/api/placement.ts';
import type { Binding } from '../../../src/api/placement-state.ts';
import { deliveryProblems } from '../../../src/engine/delivery/delivery-problems.ts';
import { emptyFleet, type Fleet } from '../../../src/engine/input.ts';
import { type RenderOn, render } from '../../../src/engine/overrides/render.ts';
import type { OverrideHistory } from '../../../src/engine/overrides/snapshots.ts';
import { sha256 } from '../../../src/repo/sha256.ts';
import { everywhere, historyOf, patch, ro } from '../overrides/world.ts';
import { bound, health, placementOf, T0, unscheduled, workOf } from '../rollout/world.ts';

const widget = { apiVersion: 'acme.io/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'shop' } } as Manifest;
const fleet: Fleet = {
  ...emptyFleet,
  resources: [{ manifest: widget, scope: 'Namespaced', file: 'resources/w.yaml' }],
  sources: new Map([
    ['ClusterResourcePlacement//web', { file: 'placements/web.yaml', line: 1 }],
    ['ResourceOverride/shop/fix', { file: 'overrides/fix.yaml', line: 3 }],
  ]),
};
const web = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' } } as Manifest;
const workWithWeb = (bindings: readonly Binding[], placement = placementOf({ placementType: 'PickAll' })) => ({
  ...workOf(placement, bindings),
  contents: new Map([[0, [web]]]),
});

/** A version of `shop/fix` for each path: `web` has none of them. */
const fixes = (...paths: string[]): OverrideHistory =>
  paths.reduce((before, path) => {
    const version = ro('shop/fix', {
      selects: [{ group: 'apps', kind: 'Deployment', name: 'web' }],
      rules: [{ ...everywhere, ...patch({ op: 'remove', path }) }],
    });
    return historyOf([version], before);
  }, historyOf([]));
const overrides = fixes('/spec/a', '/spec/b', '/spec/c', '/spec/d');
const rendering = {
  overrides,
  render: ({ cluster, ...what }: Parameters<RenderOn>[0]) =>
    render({ ...what, history: overrides, cluster: { name: cluster, labels: {} }, digest: sha256 }),
};

const problems = (bindings: readonly Binding[]) => deliveryProblems(workWithWeb(bindings), { fleet, ...rendering });

const is = (type: string, reason: string, message: string): Condition => ({
  type,
  status: 'False',
  reason,
  message,
  lastTransitionTime: T0,
});
const refused = (name: string, message = 'the member serves no Widget', type = 'Applied'): Binding =>
  bound(name, 0, health.unapplied, {
    failedPlacements: [
      {
        group: 'acme.io',
        version: 'v1',
        kind: 'Widget',
        namespace: 'shop',
        name: 'w',
        condition: is(type, 'DecodingErr', message),
      },
    ],
  });
const failing = 'override snapshot shop/fix-2 on apps/v1 Deployment shop/web: "nope" does not exist';

const newRun =
  'its file has changed since, and a run keeps the overrides that it started with: remove the file of that run, and commit a new run';

describe('problems of delivery', () => {
  it('are none where clusters take what they are given, and where it is merely not available yet', () => {
    expect(
      problems([bound('a', 0, health.ready), bound('b', 0, health.unavailable), bound('c', 0, health.silent)]),
    ).toEqual([]);
    expect(problems([refused('a', 'no pod is ready', 'Available')])).toEqual([]);
  });

  it('an object that members refuse is reported once, at its file, whatever their messages', () => {
    expect(problems([refused('a'), refused('b', 'no such Widget')])).toEqual([
      {
        severity: 'warning',
        code: 'failing-object',
        file: 'resources/w.yaml',
        message: 'ClusterResourcePlacement web: Widget shop/w cannot be applied to a, b: the member serves no Widget',
      },
    ]);
  });

  it.each([
    ['that drifted', 'FoundDrifts', 'the object was changed', 'revert the change on the member, or commit'],
    [
      'that drifted, compared field by field',
      'FoundDriftsInDegradedMode',
      'the object was changed',
      'revert the change',
    ],
    [
      'that is never taken over',
      'NotTakenOver',
      'whenToTakeOver is Never',
      'remove the object from the member, or allow',
    ],
    ['that differs before it is taken over', 'FailedToTakeOver', 'it differs', 'make both the same', true],
    ['of another owner', 'FailedToTakeOver', 'the object is owned by IfNoDiff; set y', undefined],
  ])('an object %s is reported with a fix', (_, reason, message, fix, differs?: boolean) => {
    const binding = refused('a');
    const failedPlacements = binding.failedPlacements?.map((it) => ({
      ...it,
      condition: is('Applied', reason, message),
    }));
    const diffedPlacements = failedPlacements?.map(({ condition: _c, ...object }) => ({
      ...object,
      observationTime: T0,
      firstDiffedObservedTime: T0,
      observedDiffs: [{ path: '/spec', valueInHub: 'a' }],
    }));
    const [problem] = problems([
      {
        ...binding,
        ...(failedPlacements && { failedPlacements }),
        ...(differs && diffedPlacements && { diffedPlacements }),
      },
    ]);
    expect(problem?.fix?.slice(0, fix?.length)).toBe(fix);
  });

  const createAnew = 'rename the object, or delete it on the member: gitfleet creates it again';

  it.each([
    ['a field', 'Job.batch "w" is invalid: spec.template: Invalid value: {}: field is immutable', createAnew],
    [
      'a sealed ConfigMap',
      'ConfigMap "w" is invalid: data: Forbidden: field is immutable when `immutable` is set',
      createAnew,
    ],
    [
      'the role of a binding',
      'RoleBinding.rbac.authorization.k8s.io "w" is invalid: roleRef: Invalid value: rbac.RoleRef{APIGroup:"rbac.authorization.k8s.io", Kind:"Role", Name:"b"}: cannot change roleRef',
      'give the binding of the other role a name of its own, or delete it on the member: gitfleet creates it again',
    ],
    [
      'a transition rule',
      'Widget.a.io "w" is invalid: spec.size: Invalid value: "integer": Value is immutable',
      createAnew,
    ],
    [
      'a transition rule without a message',
      'Widget.a.io "w" is invalid: spec.size: Invalid value: "integer": failed rule: self == oldSelf',
      `its CRD does not allow this change: revert it, ${createAnew}`,
    ],
    [
      'a right that is missing',
      'configmaps "w" is forbidden: User "system:serviceaccount:gitfleet-member:gitfleet" cannot patch resource "configmaps" in API group "" in the namespace "hello"',
      'give the account of gitfleet this right: run gitfleet join for the cluster again, or apply what gitfleet rbac prints',
    ],
    [
      'a volume claim',
      'PersistentVolumeClaim "w" is invalid: spec: Forbidden: spec is immutable after creation except resources.requests',
      'revert the change, or rename the object; its data is lost where it is deleted',
    ],
  ])('what is refused of %s is reported with a fix', (_, reported, fix) => {
    expect(problems([refused('a', reported)]).map((problem) => problem.fix)).toEqual([fix]);
  });

  it.each([
    [
      'whose Namespace the repo has',
      ['shop'],
      undefined,
      'the member has no Namespace shop: add it to resourceSelectors, or create it on the member',
    ],
    [
      'whose Namespace does not exist',
      ['web'],
      undefined,
      'the member has no Namespace shop: put it under resources/ and add it to resourceSelectors, or create it on the member',
    ],
    [
      'of a ResourcePlacement, which may select no Namespace',
      ['shop'],
      'shop',
      'the member has no Namespace shop: select it in a ClusterResourcePlacement that picks the member, or create it on the member',
    ],
  ])('an object without its namespace on the member, %s, is reported with a fix', (_, names, within, fix) => {
    const placement = placementOf({ placementType: 'PickAll' });
    const { name } = placement.metadata;
    const of =
      within === undefined
        ? placement
        : ({ ...placement, kind: 'ResourcePlacement', metadata: { name, namespace: within } } as typeof placement);
    const namespaces = names.map((name) => ({
      manifest: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } as Manifest,
      scope: 'Cluster' as const,
      file: 'resources/ns.yaml',
    }));
    const [problem] = deliveryProblems(workOf(of, [refused('a', 'create shop/w: 404, namespaces "shop" not found')]), {
      fleet: { ...fleet, resources: [...fleet.resources, ...namespaces] },
      ...rendering,
    });
    expect(problem?.fix).toBe(fix);
  });

  it('an override that fails is reported at its own file', () => {
    const conditions = [is('Overridden', 'OverriddenFailed', failing)];
    expect(
      problems([
        bound('a', 0, conditions, { resourceOverrideSnapshots: [{ name: 'fix-2', namespace: 'shop' }] }),
        bound('b', 0, health.ready),
      ]),
    ).toEqual([
      {
        severity: 'warning',
        code: 'failing-override',
        file: 'overrides/fix.yaml',
        line: 3,
        message: `ClusterResourcePlacement web: an override fails on a: ${failing}`,
      },
    ]);
  });

  it('an override that fails is reported at the patch, as long as the file holds it there', () => {
    const say = (message: string, overrides: Fleet['overrides']) =>
      deliveryProblems(
        workWithWeb([
          bound('a', 0, [is('Overridden', 'OverriddenFailed', message)], {
            resourceOverrideSnapshots: [{ name: 'fix-2', namespace: 'shop' }],
          }),
        ]),
        { fleet: { ...fleet, overrides }, ...rendering },
      ).map(({ file, line, path }) => ({ file, line, path }));
    const rules = (...paths: string[]) => [
      ro('shop/fix', {
        selects: [{ group: 'apps', kind: 'Deployment', name: 'web' }],
        rules: paths.map((path) => ({
          ...everywhere,
          ...patch({ op: 'remove', path: '/spec/a' }, { op: 'remove', path }),
        })),
      }),
    ];
    const message = `override snapshot shop/fix-2 on apps/v1 Deployment shop/web: rule 2, patch 2: remove /spec/b: "b" does not exist`;
    const whole = { file: 'overrides/fix.yaml', line: 3, path: undefined };
    expect(say(message, rules('/spec/b', '/spec/b', '/spec/b'))).toEqual([
      { ...whole, path: 'spec.policy.overrideRules.1.jsonPatchOverrides.1' },
    ]);
    expect(say(message, rules('/spec/b', '/spec/c'))).toEqual([whole]);
    expect(say(message, rules('/spec/b'))).toEqual([whole]);
    expect(say(failing, rules('/spec/b', '/spec/b'))).toEqual([whole]);
  });

  it.each<['External' | 'RollingUpdate', string, number, string | undefined]>([
    ['External', 'what its file does not hold any more', 2, newRun],
    ['External', 'what its file holds', 3, undefined],
    ['RollingUpdate', 'what the rollout replaces', 2, undefined],
  ])('an override that fails under %s in %s', (type, _, index, fix) => {
    const placement = placementOf({ placementType: 'PickAll' });
    const { applyStrategy } = placement.spec.strategy;
    const strategy =
      type === 'External'
        ? { type, applyStrategy }
        : { type: 'RollingUpdate' as const, applyStrategy, rollingUpdate: defaultRollingUpdate };
    const external = { ...placement, spec: { ...placement.spec, strategy } };
    const message = `override snapshot shop/fix-${index} on apps/v1 Deployment shop/web: "nope" does not exist`;
    const binding = bound('a', 0, [is('Overridden', 'OverriddenFailed', message)], {
      resourceOverrideSnapshots: [{ name: `fix-${index}`, namespace: 'shop' }],
    });
    const [problem] = deliveryProblems(workWithWeb([binding], external), { fleet, ...rendering });
    expect([problem?.code, problem?.fix]).toEqual(['failing-override', fix]);
  });

  it('an envelope that cannot be unpacked is reported at the placement', () => {
    expect(problems([bound('a', 0, [is('WorkSynchronized', 'SyncWorkFailed', 'envelope shop/e: no kind')])])).toEqual([
      {
        severity: 'warning',
        code: 'failing-envelope',
        file: 'placements/web.yaml',
        line: 1,
        message: 'ClusterResourcePlacement web: an envelope cannot be unpacked for a: envelope shop/e: no kind',
      },
    ]);
  });

  it('a condition that was recorded without a message is reported without one', () => {
    expect(problems([bound('a', 0, [is('WorkSynchronized', 'SyncWorkFailed', '')])])).toEqual([
      expect.objectContaining({ message: 'ClusterResourcePlacement web: an envelope cannot be unpacked for a' }),
    ]);
  });

  it('nothing is reported for bindings that are being removed', () => {
    expect(problems([unscheduled('a', health.unapplied, { ...refused('a'), deleting: true })])).toEqual([]);
  });
});
