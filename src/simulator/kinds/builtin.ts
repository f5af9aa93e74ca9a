import * as cluster from '../schema/cluster.ts';
import * as core from '../schema/core.ts';
import type { Schema } from '../schema/schema.ts';
import * as workloads from '../schema/workloads.ts';
import { ageColumn, columnsByKind, nameColumn } from './columns.ts';
import { type Kind, type ScalePaths, storageKey } from './kind.ts';

interface Row {
  readonly kind: string;
  readonly plural: string;
  readonly short?: readonly string[];
  readonly schema: Schema;
  readonly cluster?: true;
  readonly all?: true;
  readonly status?: true;
  readonly scale?: ScalePaths;
  readonly generation?: true;
  readonly selectable?: readonly string[];
}

const replicas: ScalePaths = { spec: '.spec.replicas', status: '.status.replicas', selector: '.spec.selector' };

const tables: readonly (readonly [string, readonly Row[]])[] = [
  [
    'v1',
    [
      {
        kind: 'Namespace',
        plural: 'namespaces',
        short: ['ns'],
        schema: core.namespace,
        cluster: true,
        status: true,
        selectable: ['status.phase'],
      },
      {
        kind: 'Node',
        plural: 'nodes',
        short: ['no'],
        schema: core.node,
        cluster: true,
        status: true,
        selectable: ['spec.unschedulable'],
      },
      {
        kind: 'PersistentVolume',
        plural: 'persistentvolumes',
        short: ['pv'],
        schema: core.persistentVolume,
        cluster: true,
        status: true,
      },
      { kind: 'ConfigMap', plural: 'configmaps', short: ['cm'], schema: core.configMap },
      { kind: 'Secret', plural: 'secrets', schema: core.secret, selectable: ['type'] },
      { kind: 'ServiceAccount', plural: 'serviceaccounts', short: ['sa'], schema: core.serviceAccount },
      {
        kind: 'Service',
        plural: 'services',
        short: ['svc'],
        schema: core.service,
        all: true,
        status: true,
        selectable: ['spec.clusterIP', 'spec.type'],
      },
      { kind: 'Endpoints', plural: 'endpoints', short: ['ep'], schema: core.endpoints },
      {
        kind: 'Pod',
        plural: 'pods',
        short: ['po'],
        schema: core.pod,
        all: true,
        status: true,
        selectable: [
          'spec.nodeName',
          'spec.restartPolicy',
          'spec.schedulerName',
          'spec.serviceAccountName',
          'spec.hostNetwork',
          'status.phase',
          'status.podIP',
          'status.nominatedNodeName',
        ],
      },
      { kind: 'PodTemplate', plural: 'podtemplates', schema: core.podTemplateKind },
      {
        kind: 'PersistentVolumeClaim',
        plural: 'persistentvolumeclaims',
        short: ['pvc'],
        schema: core.persistentVolumeClaim,
        status: true,
      },
      { kind: 'ResourceQuota', plural: 'resourcequotas', short: ['quota'], schema: core.resourceQuota, status: true },
      { kind: 'LimitRange', plural: 'limitranges', short: ['limits'], schema: core.limitRange },
      {
        kind: 'Event',
        plural: 'events',
        short: ['ev'],
        schema: core.event,
        selectable: [
          'involvedObject.kind',
          'involvedObject.namespace',
          'involvedObject.name',
          'involvedObject.uid',
          'involvedObject.apiVersion',
          'involvedObject.resourceVersion',
          'involvedObject.fieldPath',
          'reason',
          'reportingComponent',
          'source',
          'type',
        ],
      },
    ],
  ],
  [
    'apps/v1',
    [
      {
        kind: 'Deployment',
        plural: 'deployments',
        short: ['deploy'],
        schema: workloads.deployment,
        all: true,
        status: true,
        scale: replicas,
        generation: true,
      },
      {
        kind: 'ReplicaSet',
        plural: 'replicasets',
        short: ['rs'],
        schema: workloads.replicaSet,
        all: true,
        status: true,
        scale: replicas,
        generation: true,
        selectable: ['status.replicas'],
      },
      {
        kind: 'StatefulSet',
        plural: 'statefulsets',
        short: ['sts'],
        schema: workloads.statefulSet,
        all: true,
        status: true,
        scale: replicas,
        generation: true,
      },
      {
        kind: 'DaemonSet',
        plural: 'daemonsets',
        short: ['ds'],
        schema: workloads.daemonSet,
        all: true,
        status: true,
        generation: true,
      },
      { kind: 'ControllerRevision', plural: 'controllerrevisions', schema: workloads.controllerRevision },
    ],
  ],
  [
    'batch/v1',
    [
      {
        kind: 'Job',
        plural: 'jobs',
        schema: workloads.job,
        all: true,
        status: true,
        generation: true,
        selectable: ['status.successful'],
      },
      {
        kind: 'CronJob',
        plural: 'cronjobs',
        short: ['cj'],
        schema: workloads.cronJob,
        all: true,
        status: true,
        generation: true,
      },
    ],
  ],
  [
    'autoscaling/v2',
    [
      {
        kind: 'HorizontalPodAutoscaler',
        plural: 'horizontalpodautoscalers',
        short: ['hpa'],
        schema: workloads.horizontalPodAutoscaler,
        all: true,
        status: true,
      },
    ],
  ],
  [
    'policy/v1',
    [
      {
        kind: 'PodDisruptionBudget',
        plural: 'poddisruptionbudgets',
        short: ['pdb'],
        schema: workloads.podDisruptionBudget,
        status: true,
        generation: true,
      },
    ],
  ],
  [
    'networking.k8s.io/v1',
    [
      { kind: 'Ingress', plural: 'ingresses', short: ['ing'], schema: cluster.ingress, status: true, generation: true },
      { kind: 'IngressClass', plural: 'ingressclasses', schema: cluster.ingressClass, cluster: true, generation: true },
      {
        kind: 'NetworkPolicy',
        plural: 'networkpolicies',
        short: ['netpol'],
        schema: cluster.networkPolicy,
        generation: true,
      },
    ],
  ],
  [
    'rbac.authorization.k8s.io/v1',
    [
      { kind: 'Role', plural: 'roles', schema: cluster.role },
      { kind: 'RoleBinding', plural: 'rolebindings', schema: cluster.roleBinding },
      { kind: 'ClusterRole', plural: 'clusterroles', schema: cluster.clusterRole, cluster: true },
      { kind: 'ClusterRoleBinding', plural: 'clusterrolebindings', schema: cluster.clusterRoleBinding, cluster: true },
    ],
  ],
  [
    'storage.k8s.io/v1',
    [
      { kind: 'StorageClass', plural: 'storageclasses', short: ['sc'], schema: cluster.storageClass, cluster: true },
      {
        kind: 'VolumeAttachment',
        plural: 'volumeattachments',
        schema: cluster.volumeAttachment,
        cluster: true,
        status: true,
      },
      { kind: 'CSIDriver', plural: 'csidrivers', schema: cluster.csiDriver, cluster: true },
      { kind: 'CSINode', plural: 'csinodes', schema: cluster.csiNode, cluster: true },
    ],
  ],
  [
    'scheduling.k8s.io/v1',
    [
      {
        kind: 'PriorityClass',
        plural: 'priorityclasses',
        short: ['pc'],
        schema: cluster.priorityClass,
        cluster: true,
        generation: true,
      },
    ],
  ],
  ['coordination.k8s.io/v1', [{ kind: 'Lease', plural: 'leases', schema: cluster.lease }]],
  [
    'discovery.k8s.io/v1',
    [{ kind: 'EndpointSlice', plural: 'endpointslices', schema: cluster.endpointSlice, generation: true }],
  ],
  ['node.k8s.io/v1', [{ kind: 'RuntimeClass', plural: 'runtimeclasses', schema: cluster.runtimeClass, cluster: true }]],
  [
    'admissionregistration.k8s.io/v1',
    [
      {
        kind: 'ValidatingWebhookConfiguration',
        plural: 'validatingwebhookconfigurations',
        schema: cluster.validatingWebhook,
        cluster: true,
        generation: true,
      },
      {
        kind: 'MutatingWebhookConfiguration',
        plural: 'mutatingwebhookconfigurations',
        schema: cluster.mutatingWebhook,
        cluster: true,
        generation: true,
      },
    ],
  ],
  [
    'apiextensions.k8s.io/v1',
    [
      {
        kind: 'CustomResourceDefinition',
        plural: 'customresourcedefinitions',
        short: ['crd', 'crds'],
        schema: cluster.customResourceDefinition,
        cluster: true,
        status: true,
        generation: true,
      },
    ],
  ],
  [
    'apiregistration.k8s.io/v1',
    [{ kind: 'APIService', plural: 'apiservices', schema: cluster.apiService, cluster: true, status: true }],
  ],
];

/** Built-in kinds; one value shared by every simulated member. */
export const builtinKinds: readonly Kind[] = tables.flatMap(([apiVersion, rows]) =>
  rows.map((row) => toKind(apiVersion, row)),
);

function toKind(apiVersion: string, row: Row): Kind {
  const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/') as [string, string]) : ['', apiVersion];
  const base = { group, version, kind: row.kind, plural: row.plural, singular: row.kind.toLowerCase() };
  const columns = columnsByKind[storageKey(base)] ?? [ageColumn];
  return {
    ...base,
    shortNames: row.short ?? [],
    categories: row.all ? ['all'] : [],
    namespaced: !row.cluster,
    schema: row.schema,
    status: row.status ?? false,
    ...(row.scale ? { scale: row.scale } : {}),
    generation: row.generation ?? false,
    // Events are read by time and reason; their names say nothing.
    columns: row.kind === 'Event' ? columns : [nameColumn, ...columns],
    custom: false,
    selectable: row.selectable ?? [],
  };
}
