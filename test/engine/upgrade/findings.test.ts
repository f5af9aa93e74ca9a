import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../../src/api/meta.ts';
import { clusterObservation } from '../../../src/api/observation.ts';
import { findingsAgainst } from '../../../src/engine/upgrade/findings.ts';

const observed = (of: object = {}) =>
  clusterObservation.parse({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'ClusterObservation',
    metadata: { name: 'eu-1' },
    ...of,
  });
const runs = (controlPlane: string, ...pools: readonly string[]) =>
  observed({ versions: { controlPlane, pools: pools.map((kubernetes, at) => ({ name: `np${at}`, kubernetes })) } });
const object = (apiVersion: string, kind: string, name = 'web'): Manifest => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'shop' },
});
const against = (
  observation: ReturnType<typeof observed>,
  controlPlane: string | undefined,
  placed: readonly Manifest[] = [],
) =>
  findingsAgainst(observation, { placed, to: { ...(controlPlane && { controlPlane }), pools: [] } }).map(
    ({ reason, severity, message }) => `${severity} ${reason}: ${message}`,
  );

describe('ApiBreakingChange', () => {
  const cron = object('batch/v1beta1', 'CronJob');
  it.each<[string, string, string | undefined, Manifest, string[]]>([
    [
      'blocks where the upgrade ends the API',
      'v1.24.6',
      'v1.25.2',
      cron,
      ['Blocking ApiBreakingChange: batch/v1beta1 CronJob is removed in 1.25, write batch/v1: shop/web'],
    ],
    [
      'warns where a later one will',
      'v1.22.6',
      'v1.23.2',
      cron,
      ['Warning ApiBreakingChange: batch/v1beta1 CronJob is removed in 1.25, write batch/v1: shop/web'],
    ],
    ['is none before there is a successor', 'v1.19.1', 'v1.20.2', cron, []],
    ['is none where the API is gone already', 'v1.26.1', 'v1.27.2', cron, []],
    ['is none where the control plane stays', 'v1.24.1', undefined, cron, []],
    ['is none for the successor', 'v1.24.6', 'v1.25.2', object('batch/v1', 'CronJob'), []],
    ['is none for other kinds of the version', 'v1.24.6', 'v1.25.2', object('storage.k8s.io/v1beta1', 'Unknown'), []],
    [
      'of what has no successor',
      'v1.24.6',
      'v1.25',
      object('policy/v1beta1', 'PodSecurityPolicy'),
      [
        'Blocking ApiBreakingChange: policy/v1beta1 PodSecurityPolicy is removed in 1.25, it has no successor: shop/web',
      ],
    ],
  ])('%s', (_, from, to, manifest, expected) => {
    expect(against(runs(from), to, [manifest])).toEqual(expected);
  });

  it('names the objects of an API together', () => {
    const placed = ['b', 'a', 'b'].map((name) => object('autoscaling/v2beta2', 'HorizontalPodAutoscaler', name));
    expect(against(runs('v1.25.6'), 'v1.26.0', placed)).toEqual([
      'Blocking ApiBreakingChange: autoscaling/v2beta2 HorizontalPodAutoscaler is removed in 1.26, write autoscaling/v2: shop/a, shop/b',
    ]);
  });

  it('counts beside what the provider found in use by others', () => {
    const found = { reason: 'ApiBreakingChange', severity: 'Warning', message: 'in use by others' };
    const observation = observed({ versions: { controlPlane: 'v1.24.6' }, upgrade: { findings: [found] } });
    expect(against(observation, 'v1.25.0', [cron])).toEqual([
      'Blocking ApiBreakingChange: batch/v1beta1 CronJob is removed in 1.25, write batch/v1: shop/web',
      'Warning ApiBreakingChange: in use by others',
    ]);
  });
});

describe('ApiBreakingChange of what clients request', () => {
  const budgets = { group: 'policy', version: 'v1beta1', resource: 'poddisruptionbudgets', removedRelease: '1.25' };
  const scales = { version: 'v1alpha1', resource: 'things', subresource: 'scale', removedRelease: '1.27' };
  const asked = (controlPlane: string, preflight: object) => observed({ versions: { controlPlane }, preflight });
  it.each<[string, string, string | undefined, object, string[]]>([
    [
      'blocks where the upgrade removes the API',
      'v1.24.6',
      'v1.25.2',
      { requestedApis: [budgets, scales] },
      [
        'Blocking ApiBreakingChange: clients request policy/v1beta1 poddisruptionbudgets (removed in 1.25): the upgrade to v1.25.2 ends that',
        'Warning ApiBreakingChange: clients request v1alpha1 things/scale (removed in 1.27): an upgrade after v1.25.2 ends that',
      ],
    ],
    ['is none where the API is gone already', 'v1.25.1', 'v1.26.2', { requestedApis: [budgets] }, []],
    [
      'is none without a release that removes it',
      'v1.24.6',
      'v1.25.2',
      { requestedApis: [{ ...budgets, removedRelease: undefined }] },
      [],
    ],
    ['is none where the control plane stays', 'v1.24.1', undefined, { requestedApis: [budgets] }, []],
    [
      'warns where it could not be read',
      'v1.24.6',
      'v1.25.2',
      { findings: [{ reason: 'ApiBreakingChange', severity: 'Warning', message: 'read /metrics on eu-1: 403, no' }] },
      ['Warning ApiBreakingChange: not known which deprecated APIs clients request: read /metrics on eu-1: 403, no'],
    ],
    [
      'warns of nothing for another patch',
      'v1.25.1',
      'v1.25.2',
      { findings: [{ reason: 'ApiBreakingChange', severity: 'Warning', message: '403' }] },
      [],
    ],
  ])('%s', (_, from, to, preflight, expected) => {
    expect(against(asked(from, preflight), to)).toEqual(expected);
  });
});

describe('PDBConstraint', () => {
  it('counts a budget once, also one that gitfleet placed', () => {
    const status = { disruptionsAllowed: 0, expectedPods: 1 };
    const budget = { ...object('policy/v1', 'PodDisruptionBudget'), status };
    expect(against(observed({ extras: [budget], objects: [budget] }), undefined)).toEqual([
      'Blocking PDBConstraint: PodDisruptionBudget shop/web blocks every eviction',
    ]);
  });
});

describe('ComponentVersionMismatch', () => {
  it.each<[string, ReturnType<typeof observed>, string | undefined, string[]]>([
    ['is none where the upgrade takes the control plane there', runs('v1.30.9', 'v1.31.5'), 'v1.31.5', []],
    ['is none for a newer patch', runs('v1.30.9', 'v1.31.6'), 'v1.31.5', []],
    [
      'warns of a pool that stays newer',
      runs('v1.30.9', 'v1.32.0', 'v1.30.9'),
      'v1.31.5',
      ['Warning ComponentVersionMismatch: pool np0 (v1.32.0) is newer than the control plane v1.31.5'],
    ],
  ])('%s', (_, observation, to, expected) => {
    expect(against(observation, to)).toEqual(expected);
  });
});
