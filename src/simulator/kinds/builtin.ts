import * as cluster from '../schema/cluster.ts';
import * as core from '../schema/core.ts';
import type { Schema } from '../schema/schema.ts';
import * as workloads from '../schema/workloads.ts';
import { ageColumn, columnsByKind, nameColumn } from './columns.ts';
import { type Kind, type ScalePaths, storageKey } from './kind.ts';

const replicas: ScalePaths = { spec: '.spec.replicas', status: '.status.replicas', selector: '.spec.selector' };

/** Kind, plural and short names; the schema; its traits; dotted paths for field selectors. */
type Row = readonly [string, Schema, (readonly Trait[])?, (readonly string[])?];
/** `cluster`: not namespaced. `all`: in the category of that name. The others: see `Kind`. */
type Trait = 'cluster' | 'all' | 'status' | 'scale' | 'generation';

const rows: Readonly<Record<string, readonly Row[]>> = {
  v1: [
    ['Namespace namespaces ns', core.namespace, ['cluster', 'status'], ['status.phase']],
    ['Node nodes no', core.node, ['cluster', 'status'], ['spec.unschedulable']],
    ['PersistentVolume persistentvolumes pv', core.persistentVolume, ['cluster', 'status']],
    ['ConfigMap configmaps cm', core.configMap],
    ['Secret secrets', core.secret, [], ['type']],
    ['ServiceAccount serviceaccounts sa', core.serviceAccount],
    ['Service services svc', core.service, ['all', 'status'], ['spec.clusterIP', 'spec.type']],
    ['Endpoints endpoints ep', core.endpoints],
    [
      'Pod pods po',
      core.pod,
      ['all', 'status'],
      [
        'spec.nodeName',
        'spec.restartPolicy',
        'spec.schedulerName',
        'spec.serviceAccountName',
        'spec.hostNetwork',
        'status.phase',
        'status.podIP',
        'status.nominatedNodeName',
      ],
    ],
    ['PodTemplate podtemplates', core.podTemplateKind],
    ['PersistentVolumeClaim persistentvolumeclaims pvc', core.persistentVolumeClaim, ['status']],
    ['ResourceQuota resourcequotas quota', core.resourceQuota, ['status']],
    ['LimitRange limitranges limits', core.limitRange],
    [
      'Event events ev',
      core.event,
      [],
      [
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
    ],
  ],
  'apps/v1': [
    ['Deployment deployments deploy', workloads.deployment, ['all', 'status', 'generation', 'scale']],
    ['ReplicaSet replicasets rs', workloads.replicaSet, ['all', 'status', 'generation', 'scale'], ['status.replicas']],
    ['StatefulSet statefulsets sts', workloads.statefulSet, ['all', 'status', 'generation', 'scale']],
    ['DaemonSet daemonsets ds', workloads.daemonSet, ['all', 'status', 'generation']],
    ['ControllerRevision controllerrevisions', workloads.controllerRevision],
  ],
  'batch/v1': [
    ['Job jobs', workloads.job, ['all', 'status', 'generation'], ['status.successful']],
    ['CronJob cronjobs cj', workloads.cronJob, ['all', 'status', 'generation']],
  ],
  'autoscaling/v2': [
    ['HorizontalPodAutoscaler horizontalpodautoscalers hpa', workloads.horizontalPodAutoscaler, ['all', 'status']],
  ],
  'policy/v1': [
    ['PodDisruptionBudget poddisruptionbudgets pdb', workloads.podDisruptionBudget, ['status', 'generation']],
  ],
  'networking.k8s.io/v1': [
    ['Ingress ingresses ing', cluster.ingress, ['status', 'generation']],
    ['IngressClass ingressclasses', cluster.ingressClass, ['cluster', 'generation']],
    ['NetworkPolicy networkpolicies netpol', cluster.networkPolicy, ['generation']],
  ],
  'rbac.authorization.k8s.io/v1': [
    ['Role roles', cluster.role],
    ['RoleBinding rolebindings', cluster.roleBinding],
    ['ClusterRole clusterroles', cluster.clusterRole, ['cluster']],
    ['ClusterRoleBinding clusterrolebindings', cluster.clusterRoleBinding, ['cluster']],
  ],
  'storage.k8s.io/v1': [
    ['StorageClass storageclasses sc', cluster.storageClass, ['cluster']],
    ['VolumeAttachment volumeattachments', cluster.volumeAttachment, ['cluster', 'status']],
    ['CSIDriver csidrivers', cluster.csiDriver, ['cluster']],
    ['CSINode csinodes', cluster.csiNode, ['cluster']],
  ],
  'scheduling.k8s.io/v1': [['PriorityClass priorityclasses pc', cluster.priorityClass, ['cluster', 'generation']]],
  'coordination.k8s.io/v1': [['Lease leases', cluster.lease]],
  'discovery.k8s.io/v1': [['EndpointSlice endpointslices', cluster.endpointSlice, ['generation']]],
  'node.k8s.io/v1': [['RuntimeClass runtimeclasses', cluster.runtimeClass, ['cluster']]],
  'admissionregistration.k8s.io/v1': [
    [
      'ValidatingWebhookConfiguration validatingwebhookconfigurations',
      cluster.validatingWebhook,
      ['cluster', 'generation'],
    ],
    ['MutatingWebhookConfiguration mutatingwebhookconfigurations', cluster.mutatingWebhook, ['cluster', 'generation']],
  ],
  'apiextensions.k8s.io/v1': [
    [
      'CustomResourceDefinition customresourcedefinitions crd crds',
      cluster.customResourceDefinition,
      ['cluster', 'status', 'generation'],
    ],
  ],
  'apiregistration.k8s.io/v1': [['APIService apiservices', cluster.apiService, ['cluster', 'status']]],
};

/** Built-in kinds; one value shared by every simulated member. */
export const builtinKinds: readonly Kind[] = Object.entries(rows).flatMap(([apiVersion, ofVersion]) =>
  ofVersion.map((row) => toKind(apiVersion, row)),
);

function toKind(apiVersion: string, [names, schema, traits = [], selectable = []]: Row): Kind {
  const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/') as [string, string]) : ['', apiVersion];
  const [kind, plural, ...shortNames] = names.split(' ') as [string, string, ...string[]];
  const base = { group, version, kind, plural, singular: kind.toLowerCase() };
  const columns = columnsByKind[storageKey(base)] ?? [ageColumn];
  return {
    ...base,
    shortNames,
    categories: traits.includes('all') ? ['all'] : [],
    namespaced: !traits.includes('cluster'),
    schema,
    status: traits.includes('status'),
    ...(traits.includes('scale') ? { scale: replicas } : {}),
    generation: traits.includes('generation'),
    // Events are listed by time and reason; their names have no meaning.
    columns: kind === 'Event' ? columns : [nameColumn, ...columns],
    custom: false,
    selectable,
  };
}
