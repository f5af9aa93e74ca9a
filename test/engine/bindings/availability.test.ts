import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../../src/api/meta.ts';
import { availabilityOf, becauseOf, podCause } from '../../../src/engine/bindings/availability.ts';

const live = (apiVersion: string, kind: string, fields: object = {}, metadata: object = {}): Manifest => ({
  apiVersion,
  kind,
  metadata: { name: 'x', generation: 2, ...metadata },
  ...fields,
});
const told = (object: Manifest) => availabilityOf(object, object.apiVersion);
const condition = (type: string, status: string, reason = '', more: object = {}) => ({ type, status, reason, ...more });
const seen = { observedGeneration: 2 };
const deployment = (status: object, spec: object = { replicas: 2 }) =>
  live('apps/v1', 'Deployment', { spec, status: { ...seen, ...status } });
const set = (status: object) =>
  live('apps/v1', 'StatefulSet', {
    spec: { replicas: 2 },
    status: { ...seen, currentRevision: 'a', updateRevision: 'a', ...status },
  });
const daemons = (status: object) => live('apps/v1', 'DaemonSet', { status: { ...seen, ...status } });
const service = (spec: object, status: object = {}) => live('v1', 'Service', { spec, status });
const crd = (...conditions: object[]) =>
  live('apiextensions.k8s.io/v1', 'CustomResourceDefinition', { status: { conditions } });
const pdb = (disruptionsAllowed: number, status: string, reason: string, observedGeneration = 2) =>
  live('policy/v1', 'PodDisruptionBudget', {
    status: { observedGeneration, disruptionsAllowed, conditions: [condition('DisruptionAllowed', status, reason)] },
  });
const pod = (status: object, metadata: object = {}) => live('v1', 'Pod', { status }, metadata);
const custom = (status: object, metadata: object = {}) => live('acme.io/v1', 'Widget', { status }, metadata);
const going = { deletionTimestamp: '2026-11-20T10:00:00Z' };
const up = { availableReplicas: 2, updatedReplicas: 2 };

const rows: [rule: string, object: Manifest, verdict: string][] = [
  ['Deployment with all replicas', deployment(up), 'Available'],
  ['Deployment of another version', { ...deployment(up), apiVersion: 'apps/v1beta1' }, 'NotTrackable'],
  ['a data kind of another version', live('rbac.authorization.k8s.io/v1beta1', 'Role'), 'NotTrackable'],
  ['Ingress of any version', live('networking.k8s.io/v1beta1', 'Ingress'), 'Available'],
  ['Deployment: replicas default to 1', deployment({ availableReplicas: 1, updatedReplicas: 1 }, {}), 'Available'],
  ['Deployment scaled to 0', deployment({}, { replicas: 0 }), 'Available'],
  ['Deployment: one available', deployment({ ...up, availableReplicas: 1 }), 'NotAvailableYet'],
  ['Deployment: one updated', deployment({ ...up, updatedReplicas: 1 }), 'NotAvailableYet'],
  ['Deployment: one unavailable', deployment({ ...up, unavailableReplicas: 1 }), 'NotAvailableYet'],
  ['Deployment: too many available', deployment({ ...up, availableReplicas: 3 }), 'NotAvailableYet'],
  ['Deployment: older generation', deployment({ ...up, observedGeneration: 1 }), 'NotAvailableYet'],
  ['Deployment: no generation observed', deployment({ ...up, observedGeneration: undefined }), 'NotAvailableYet'],
  ['StatefulSet up', set({ availableReplicas: 2, currentReplicas: 2, updatedReplicas: 2 }), 'Available'],
  [
    'StatefulSet: one missing',
    set({ availableReplicas: 1, currentReplicas: 2, updatedReplicas: 2 }),
    'NotAvailableYet',
  ],
  [
    'StatefulSet: half updated',
    set({ availableReplicas: 2, currentReplicas: 1, updatedReplicas: 2 }),
    'NotAvailableYet',
  ],
  [
    'StatefulSet: revisions differ',
    set({ availableReplicas: 2, currentReplicas: 2, updatedReplicas: 2, updateRevision: 'b' }),
    'NotAvailableYet',
  ],
  [
    'DaemonSet up',
    daemons({ desiredNumberScheduled: 3, numberAvailable: 3, currentNumberScheduled: 3, updatedNumberScheduled: 3 }),
    'Available',
  ],
  ['DaemonSet on no node', daemons({}), 'Available'],
  [
    'DaemonSet: one missing',
    daemons({ desiredNumberScheduled: 3, numberAvailable: 2, currentNumberScheduled: 3, updatedNumberScheduled: 3 }),
    'NotAvailableYet',
  ],
  [
    'DaemonSet: not all updated',
    daemons({ desiredNumberScheduled: 3, numberAvailable: 3, currentNumberScheduled: 3, updatedNumberScheduled: 2 }),
    'NotAvailableYet',
  ],
  ['Service with a cluster IP', service({ clusterIPs: ['10.0.0.1'] }), 'Available'],
  ['headless Service', service({ type: 'ClusterIP', clusterIP: 'None', clusterIPs: ['None'] }), 'Available'],
  ['NodePort Service without an IP', service({ type: 'NodePort' }), 'NotAvailableYet'],
  [
    'LoadBalancer with an IP',
    service({ type: 'LoadBalancer' }, { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } }),
    'Available',
  ],
  [
    'LoadBalancer with a name',
    service({ type: 'LoadBalancer' }, { loadBalancer: { ingress: [{ hostname: 'lb' }] } }),
    'Available',
  ],
  [
    'LoadBalancer: only the first entry counts',
    service({ type: 'LoadBalancer' }, { loadBalancer: { ingress: [{}, { ip: '1.2.3.4' }] } }),
    'NotAvailableYet',
  ],
  ['LoadBalancer without an address', service({ type: 'LoadBalancer', clusterIPs: ['10.0.0.1'] }), 'NotAvailableYet'],
  ['ExternalName Service', service({ type: 'ExternalName' }), 'NotTrackable'],
  ['CRD established and named', crd(condition('Established', 'True'), condition('NamesAccepted', 'True')), 'Available'],
  [
    'CRD with a name conflict',
    crd(condition('Established', 'True'), condition('NamesAccepted', 'False')),
    'NotAvailableYet',
  ],
  ['CRD new', crd(), 'NotAvailableYet'],
  ['PDB that allows some', pdb(1, 'True', 'SufficientPods'), 'Available'],
  ['PDB that allows none is up to date too', pdb(0, 'False', 'InsufficientPods'), 'Available'],
  ['PDB that allows some for another reason', pdb(1, 'True', 'InsufficientPods'), 'NotAvailableYet'],
  ['PDB that allows none for another reason', pdb(0, 'False', 'SyncFailed'), 'NotAvailableYet'],
  ['PDB whose condition lags', pdb(0, 'True', 'SufficientPods'), 'NotAvailableYet'],
  ['PDB: sync failed', pdb(0, 'False', 'SyncFailed'), 'NotAvailableYet'],
  ['PDB: older generation', pdb(1, 'True', 'SufficientPods', 1), 'NotAvailableYet'],
  ...(
    [
      ['v1', 'Namespace ConfigMap Secret ServiceAccount LimitRange ResourceQuota'],
      ['rbac.authorization.k8s.io/v1', 'Role ClusterRole RoleBinding ClusterRoleBinding'],
      ['networking.k8s.io/v1', 'NetworkPolicy IngressClass'],
      ['storage.k8s.io/v1', 'CSIDriver CSINode StorageClass CSIStorageCapacity'],
      ['apps/v1', 'ControllerRevision'],
      ['scheduling.k8s.io/v1', 'PriorityClass'],
    ] as const
  ).flatMap(([apiVersion, kinds]) =>
    kinds
      .split(' ')
      .map((kind): [string, Manifest, string] => [`${kind} is data`, live(apiVersion, kind), 'Available']),
  ),
  ['a data kind of another group is not data', live('acme.io/v1', 'Role'), 'NotTrackable'],
  ['Job complete', live('batch/v1', 'Job', { status: { conditions: [condition('Complete', 'True')] } }), 'Available'],
  [
    'Job failed',
    live('batch/v1', 'Job', { status: { conditions: [condition('Failed', 'True', 'BackoffLimitExceeded')] } }),
    'Failed',
  ],
  ['Job running', live('batch/v1', 'Job', { status: { active: 1 } }), 'NotAvailableYet'],
  ['CronJob', live('batch/v1', 'CronJob'), 'Available'],
  ['claim bound', live('v1', 'PersistentVolumeClaim', { status: { phase: 'Bound' } }), 'Available'],
  ['claim pending', live('v1', 'PersistentVolumeClaim', { status: { phase: 'Pending' } }), 'NotAvailableYet'],
  [
    'claim being deleted',
    live('v1', 'PersistentVolumeClaim', { status: { phase: 'Bound' } }, going),
    'NotAvailableYet',
  ],
  ['Ingress', live('networking.k8s.io/v1', 'Ingress'), 'Available'],
  ['HPA', live('autoscaling/v2', 'HorizontalPodAutoscaler', { status: { observedGeneration: 2 } }), 'Available'],
  [
    'HPA of an older generation',
    live('autoscaling/v2', 'HorizontalPodAutoscaler', { status: { observedGeneration: 1 } }),
    'NotAvailableYet',
  ],
  ['Pod ready', pod({ phase: 'Running', conditions: [condition('Ready', 'True')] }), 'Available'],
  ['Pod done', pod({ phase: 'Succeeded' }), 'Available'],
  ['Pod failed', pod({ phase: 'Failed' }), 'Failed'],
  ['Pod starting', pod({ phase: 'Pending' }), 'NotAvailableYet'],
  [
    'Pod in a crash loop',
    pod({ phase: 'Running', containerStatuses: [{ name: 'app', state: { waiting: { reason: 'CrashLoopBackOff' } } }] }),
    'Failed',
  ],
  ['Pod being deleted', pod({ phase: 'Running', conditions: [condition('Ready', 'True')] }, going), 'NotAvailableYet'],
  ['custom resource ready', custom({ ...seen, conditions: [condition('Ready', 'True')] }), 'Available'],
  ['custom resource available', custom({ ...seen, conditions: [condition('Available', 'True')] }), 'Available'],
  [
    'custom resource: Ready counts before Available',
    custom({ ...seen, conditions: [condition('Available', 'True'), condition('Ready', 'False')] }),
    'NotAvailableYet',
  ],
  [
    'custom resource: the generation may stand in the condition',
    custom({ conditions: [condition('Ready', 'True', '', seen)] }),
    'Available',
  ],
  [
    'custom resource: older generation',
    custom({ observedGeneration: 1, conditions: [condition('Ready', 'True')] }),
    'NotAvailableYet',
  ],
  [
    'custom resource stalled',
    custom({ ...seen, conditions: [condition('Ready', 'False'), condition('Stalled', 'True')] }),
    'Failed',
  ],
  [
    'custom resource reconciling',
    custom({ ...seen, conditions: [condition('Ready', 'True'), condition('Reconciling', 'True')] }),
    'NotAvailableYet',
  ],
  ['custom resource without a generation', custom({ conditions: [condition('Ready', 'True')] }), 'NotTrackable'],
  ['custom resource without conditions', custom(seen), 'NotTrackable'],
  ...([{ Ready: 'True' }, 'Ready', 7, null, [null, 'Ready', 7, []]] as const).map(
    (conditions): [string, Manifest, string] => [
      `custom resource with conditions of its own shape: ${JSON.stringify(conditions)}`,
      custom({ ...seen, conditions }),
      'NotTrackable',
    ],
  ),
  [
    'custom resource: of conditions of many shapes those that are ones count',
    custom({ ...seen, conditions: [null, 'Ready', condition('Ready', 'True')] }),
    'Available',
  ],
  [
    'custom resource whose observed generation is not a number',
    custom({ observedGeneration: '2', conditions: [condition('Ready', 'False')] }),
    'NotTrackable',
  ],
  ['custom resource whose status is a text', live('acme.io/v1', 'Widget', { status: 'ready' }), 'NotTrackable'],
  ['custom resource without status', live('acme.io/v1', 'Widget'), 'NotTrackable'],
  ['PersistentVolume', live('v1', 'PersistentVolume', { status: { phase: 'Bound' } }), 'NotTrackable'],
  ['webhook configuration', live('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'), 'NotTrackable'],
  ['a kind named like a property of every object', live('v1', 'constructor'), 'NotTrackable'],
];

describe('availability by kind', () => {
  it.each(rows)('%s', (_, object, verdict) => {
    expect(told(object).verdict).toBe(verdict);
  });
  it('the version that was requested counts, not the one it is shown in', () => {
    expect(availabilityOf({ ...deployment(up), apiVersion: 'apps/v1beta2' }, 'apps/v1').verdict).toBe('Available');
    expect(availabilityOf(deployment(up), 'apps/v1beta2').verdict).toBe('NotTrackable');
  });
  it('an object written by hand without generations is taken as seen', () => {
    const { generation: _, ...metadata } = deployment(up).metadata;
    expect(told({ ...deployment({ ...up, observedGeneration: undefined }), metadata } as Manifest).verdict).toBe(
      'Available',
    );
  });
  it('a Deployment past its progress deadline is reported as such', () => {
    const late = {
      type: 'Progressing',
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      message: 'ReplicaSet timed out.',
    };
    expect(told(deployment({ availableReplicas: 1, updatedReplicas: 2, conditions: [late] }))).toEqual({
      verdict: 'NotAvailableYet',
      message:
        'not all 2 replicas are updated and available yet; its progress deadline has passed: ReplicaSet timed out.',
    });
  });
});

it('a pod that cannot start names the cause and the image', () => {
  const waiting = (reason: string, image: unknown) => ({ name: 'app', image, state: { waiting: { reason } } });
  const messageOf = (...containerStatuses: object[]) => told(pod({ phase: 'Pending', containerStatuses })).message;
  expect(messageOf(waiting('ContainerCreating', 'nginx:1.27'))).toBe('the pod is not ready yet');
  expect(messageOf(waiting('ImagePullBackOff', 'nginx:1.27'), waiting('ContainerCreating', 'x'))).toBe(
    'the pod is not ready yet: ImagePullBackOff nginx:1.27',
  );
  expect(messageOf(waiting('ErrImagePull', {}))).toBe('the pod is not ready yet: ImagePullBackOff');
});

it('a workload that is not available names what its pods wait for', () => {
  const waiting = {
    containerStatuses: [{ name: 'app', image: 'nginx:1.27', state: { waiting: { reason: 'ErrImagePull' } } }],
  };
  const unschedulable = { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] };
  const ready = { ...waiting, conditions: [{ type: 'Ready', status: 'True' }] };
  const of = (...statuses: object[]) => podCause(statuses.map((status) => pod(status)));
  expect(of(ready)).toBeUndefined();
  expect(of(waiting, unschedulable, waiting)).toBe('ImagePullBackOff nginx:1.27, Unschedulable');
  const notYet = { verdict: 'NotAvailableYet', message: 'not all 2 replicas are updated and available yet' } as const;
  expect(becauseOf(notYet, of(waiting)).message).toBe(`${notYet.message}: ImagePullBackOff nginx:1.27`);
  expect(becauseOf({ verdict: 'Available', message: '' }, 'late')).toEqual({ verdict: 'Available', message: '' });
});
