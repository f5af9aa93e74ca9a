import { at, listAt, numberAt, textAt } from '../../engine/kernel/at.ts';
import type { Stored } from '../object.ts';
import { ageOf } from './age.ts';
import {
  address,
  dataCount,
  externalIP,
  jobDuration,
  jobStatus,
  modes,
  nodeRoles,
  nodeStatus,
  none,
  pairs,
  podStatusText,
  portsText,
  readyContainers,
  seen,
} from './cells.ts';
import type { Column } from './kind.ts';
import { selectorText } from './selector-text.ts';

type Cell = Column['cell'];
const column = (name: string, cell: Cell, more: Partial<Column> = {}): Column => ({
  name,
  type: 'string',
  description: '',
  priority: 0,
  cell,
  ...more,
});
const number = (name: string, cell: Cell): Column => column(name, cell, { type: 'integer' });
const wide = (name: string, cell: Cell): Column => column(name, cell, { priority: 1 });

export const nameColumn: Column = column('Name', (object) => object.metadata.name, {
  format: 'name',
  description: 'Name must be unique within a namespace.',
});
export const ageColumn: Column = column('Age', (object, now) => ageOf(object.metadata.creationTimestamp, now), {
  description: 'Time since the object was created.',
});

const containersOf = (object: Stored, ...path: string[]) => listAt(object, ...path, 'containers');
const workload = (...path: string[]): Column[] => [
  wide('Containers', (object) =>
    containersOf(object, ...path)
      .map((c) => textAt(c, 'name'))
      .join(','),
  ),
  wide('Images', (object) =>
    containersOf(object, ...path)
      .map((c) => textAt(c, 'image'))
      .join(','),
  ),
];
const counted = (name: string, field: string): Column => number(name, (object) => numberAt(object, 'status', field));

/** The columns of `kubectl get`, by storage key; other kinds show name and age. */
export const columnsByKind: Readonly<Record<string, readonly Column[]>> = {
  '/pods': [
    column('Ready', readyContainers),
    column('Status', podStatusText),
    column('Restarts', (pod) =>
      String(
        listAt(pod, 'status', 'containerStatuses').reduce<number>((sum, c) => sum + numberAt(c, 'restartCount'), 0),
      ),
    ),
    ageColumn,
    wide('IP', (pod) => none(textAt(pod, 'status', 'podIP'))),
    wide('Node', (pod) => none(textAt(pod, 'spec', 'nodeName'))),
    wide('Nominated Node', () => '<none>'),
    wide('Readiness Gates', () => '<none>'),
  ],
  'apps/deployments': [
    column('Ready', (d) => `${numberAt(d, 'status', 'readyReplicas')}/${numberAt(d, 'spec', 'replicas')}`),
    counted('Up-to-date', 'updatedReplicas'),
    counted('Available', 'availableReplicas'),
    ageColumn,
    ...workload('spec', 'template', 'spec'),
    wide('Selector', (d) => none(selectorText(at(d, 'spec', 'selector')))),
  ],
  'apps/replicasets': [
    number('Desired', (rs) => numberAt(rs, 'spec', 'replicas')),
    counted('Current', 'replicas'),
    counted('Ready', 'readyReplicas'),
    ageColumn,
    ...workload('spec', 'template', 'spec'),
    wide('Selector', (rs) => none(selectorText(at(rs, 'spec', 'selector')))),
  ],
  'apps/statefulsets': [
    column('Ready', (s) => `${numberAt(s, 'status', 'readyReplicas')}/${numberAt(s, 'spec', 'replicas')}`),
    ageColumn,
    ...workload('spec', 'template', 'spec'),
  ],
  'apps/daemonsets': [
    counted('Desired', 'desiredNumberScheduled'),
    counted('Current', 'currentNumberScheduled'),
    counted('Ready', 'numberReady'),
    counted('Up-to-date', 'updatedNumberScheduled'),
    counted('Available', 'numberAvailable'),
    column('Node Selector', (ds) => pairs(at(ds, 'spec', 'template', 'spec', 'nodeSelector'))),
    ageColumn,
    ...workload('spec', 'template', 'spec'),
    wide('Selector', (ds) => none(selectorText(at(ds, 'spec', 'selector')))),
  ],
  'batch/jobs': [
    column('Status', jobStatus),
    column(
      'Completions',
      (job) => `${numberAt(job, 'status', 'succeeded')}/${textAt(job, 'spec', 'completions') || '1'}`,
    ),
    column('Duration', jobDuration),
    ageColumn,
    ...workload('spec', 'template', 'spec'),
  ],
  '/services': [
    column('Type', (service) => textAt(service, 'spec', 'type')),
    column('Cluster-IP', (service) => none(textAt(service, 'spec', 'clusterIP'))),
    column('External-IP', externalIP),
    column('Port(s)', portsText),
    ageColumn,
    wide('Selector', (service) => pairs(at(service, 'spec', 'selector'))),
  ],
  '/nodes': [
    column('Status', nodeStatus),
    column('Roles', nodeRoles),
    ageColumn,
    column('Version', (node) => textAt(node, 'status', 'nodeInfo', 'kubeletVersion')),
    wide('Internal-IP', (node) => none(textAt(listAt(node, 'status', 'addresses')[0], 'address'))),
    wide('External-IP', () => '<none>'),
    wide('OS-Image', (node) => textAt(node, 'status', 'nodeInfo', 'osImage')),
    wide('Kernel-Version', (node) => textAt(node, 'status', 'nodeInfo', 'kernelVersion')),
    wide('Container-Runtime', (node) => textAt(node, 'status', 'nodeInfo', 'containerRuntimeVersion')),
  ],
  '/namespaces': [column('Status', (namespace) => textAt(namespace, 'status', 'phase')), ageColumn],
  '/configmaps': [number('Data', dataCount), ageColumn],
  '/secrets': [column('Type', (secret) => textAt(secret, 'type')), number('Data', dataCount), ageColumn],
  '/persistentvolumeclaims': [
    column('Status', (claim) => textAt(claim, 'status', 'phase')),
    column('Volume', (claim) => textAt(claim, 'spec', 'volumeName')),
    column('Capacity', (claim) => textAt(claim, 'status', 'capacity', 'storage')),
    column('Access Modes', (claim) => modes(listAt(claim, 'status', 'accessModes'))),
    column('StorageClass', (claim) => textAt(claim, 'spec', 'storageClassName')),
    ageColumn,
  ],
  'networking.k8s.io/ingresses': [
    column('Class', (ingress) => none(textAt(ingress, 'spec', 'ingressClassName'))),
    column(
      'Hosts',
      (ingress) =>
        listAt(ingress, 'spec', 'rules')
          .map((rule) => textAt(rule, 'host') || '*')
          .join(',') || '*',
    ),
    column('Address', address),
    column('Ports', (ingress) => (listAt(ingress, 'spec', 'tls').length > 0 ? '80, 443' : '80')),
    ageColumn,
  ],
  'policy/poddisruptionbudgets': [
    column('Min Available', (budget) => textAt(budget, 'spec', 'minAvailable') || 'N/A'),
    column('Max Unavailable', (budget) => textAt(budget, 'spec', 'maxUnavailable') || 'N/A'),
    counted('Allowed Disruptions', 'disruptionsAllowed'),
    ageColumn,
  ],
  '/events': [
    column('Last Seen', seen),
    column('Type', (event) => textAt(event, 'type')),
    column('Reason', (event) => textAt(event, 'reason')),
    column(
      'Object',
      (event) => `${textAt(event, 'involvedObject', 'kind').toLowerCase()}/${textAt(event, 'involvedObject', 'name')}`,
    ),
    column('Message', (event) => textAt(event, 'message')),
  ],
};
