import { persistentVolumeClaim } from './core.ts';
import { conditions, kindSchema, labelSelector, objectMeta } from './meta.ts';
import { podTemplate } from './pod.ts';
import { all, bool, def, int, intOrString, list, obj, type Schema, str, time } from './schema.ts';

const apps = (kind: string, spec: Schema, status: Schema): Schema =>
  kindSchema(`io.k8s.api.apps.v1.${kind}`, { spec, status }, { required: ['spec'] });

export const deployment = apps(
  'Deployment',
  obj(
    {
      replicas: def(int, 1),
      selector: labelSelector,
      template: podTemplate,
      strategy: obj(
        {
          type: def(str, 'RollingUpdate'),
          rollingUpdate: obj({ maxUnavailable: intOrString, maxSurge: intOrString }),
        },
        { retainKeys: true, default: {} },
      ),
      minReadySeconds: int,
      revisionHistoryLimit: def(int, 10),
      paused: bool,
      progressDeadlineSeconds: def(int, 600),
    },
    { name: 'io.k8s.api.apps.v1.DeploymentSpec', required: ['selector', 'template'] },
  ),
  obj({
    ...all(
      int,
      'observedGeneration replicas updatedReplicas readyReplicas availableReplicas unavailableReplicas terminatingReplicas',
    ),
    conditions,
    collisionCount: int,
  }),
);

export const replicaSet = apps(
  'ReplicaSet',
  obj(
    { replicas: def(int, 1), minReadySeconds: int, selector: labelSelector, template: podTemplate },
    { required: ['selector'] },
  ),
  obj({
    ...all(int, 'replicas fullyLabeledReplicas readyReplicas availableReplicas terminatingReplicas observedGeneration'),
    conditions,
  }),
);

export const statefulSet = apps(
  'StatefulSet',
  obj(
    {
      replicas: def(int, 1),
      selector: labelSelector,
      template: podTemplate,
      volumeClaimTemplates: list(persistentVolumeClaim),
      serviceName: str,
      podManagementPolicy: def(str, 'OrderedReady'),
      updateStrategy: def(
        obj({
          type: def(str, 'RollingUpdate'),
          rollingUpdate: obj({ partition: def(int, 0), maxUnavailable: intOrString }),
        }),
        {},
      ),
      revisionHistoryLimit: def(int, 10),
      minReadySeconds: int,
      persistentVolumeClaimRetentionPolicy: def(
        obj({ whenDeleted: def(str, 'Retain'), whenScaled: def(str, 'Retain') }),
        {},
      ),
      ordinals: obj({ start: int }),
    },
    { required: ['selector', 'template'] },
  ),
  obj({
    ...all(int, 'observedGeneration replicas readyReplicas currentReplicas updatedReplicas'),
    currentRevision: str,
    updateRevision: str,
    collisionCount: int,
    conditions,
    availableReplicas: int,
  }),
);

export const daemonSet = apps(
  'DaemonSet',
  obj(
    {
      selector: labelSelector,
      template: podTemplate,
      updateStrategy: def(
        obj({
          type: def(str, 'RollingUpdate'),
          rollingUpdate: obj({ maxUnavailable: intOrString, maxSurge: intOrString }),
        }),
        {},
      ),
      minReadySeconds: int,
      revisionHistoryLimit: def(int, 10),
    },
    { required: ['selector', 'template'] },
  ),
  obj({
    ...all(
      int,
      'currentNumberScheduled numberMisscheduled desiredNumberScheduled numberReady observedGeneration updatedNumberScheduled numberAvailable numberUnavailable collisionCount',
    ),
    conditions,
  }),
);

export const controllerRevision = kindSchema('io.k8s.api.apps.v1.ControllerRevision', {
  data: { type: 'any' },
  revision: int,
});

const jobSpec = obj(
  {
    ...all(int, 'parallelism completions activeDeadlineSeconds'),
    podFailurePolicy: obj({
      rules: list(
        obj({
          action: str,
          onExitCodes: obj({ containerName: str, operator: str, values: list(int) }),
          onPodConditions: list(obj({ type: str, status: str })),
        }),
      ),
    }),
    successPolicy: obj({ rules: list(obj({ succeededIndexes: str, succeededCount: int })) }),
    backoffLimit: def(int, 6),
    backoffLimitPerIndex: int,
    maxFailedIndexes: int,
    selector: labelSelector,
    manualSelector: bool,
    template: podTemplate,
    ttlSecondsAfterFinished: int,
    completionMode: def(str, 'NonIndexed'),
    suspend: def(bool, false),
    podReplacementPolicy: def(str, 'TerminatingOrFailed'),
    managedBy: str,
  },
  { name: 'io.k8s.api.batch.v1.JobSpec', required: ['template'] },
);

export const job = kindSchema(
  'io.k8s.api.batch.v1.Job',
  {
    spec: jobSpec,
    status: obj({
      conditions,
      startTime: time,
      completionTime: time,
      ...all(int, 'active succeeded failed terminating'),
      completedIndexes: str,
      failedIndexes: str,
      uncountedTerminatedPods: obj({ succeeded: list(str), failed: list(str) }),
      ready: int,
    }),
  },
  { required: ['spec'] },
);

export const cronJob = kindSchema(
  'io.k8s.api.batch.v1.CronJob',
  {
    spec: obj(
      {
        schedule: str,
        timeZone: str,
        startingDeadlineSeconds: int,
        concurrencyPolicy: def(str, 'Allow'),
        suspend: def(bool, false),
        jobTemplate: obj({ metadata: objectMeta, spec: jobSpec }),
        successfulJobsHistoryLimit: def(int, 3),
        failedJobsHistoryLimit: def(int, 1),
      },
      { required: ['schedule', 'jobTemplate'] },
    ),
    status: obj({
      active: list(
        obj({ apiVersion: str, kind: str, namespace: str, name: str, uid: str, resourceVersion: str, fieldPath: str }),
      ),
      lastScheduleTime: time,
      lastSuccessfulTime: time,
    }),
  },
  { required: ['spec'] },
);

const crossVersionReference = obj({ apiVersion: str, kind: str, name: str }, { required: ['kind', 'name'] });
const metricTarget = obj({
  type: str,
  value: { type: 'quantity' },
  averageValue: { type: 'quantity' },
  averageUtilization: int,
});
const metricIdentifier = obj({ name: str, selector: labelSelector });
const scalingRules = obj({
  stabilizationWindowSeconds: int,
  selectPolicy: str,
  policies: list(obj({ type: str, value: int, periodSeconds: int })),
  tolerance: { type: 'quantity' },
});
export const horizontalPodAutoscaler = kindSchema('io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler', {
  spec: obj(
    {
      scaleTargetRef: crossVersionReference,
      minReplicas: def(int, 1),
      maxReplicas: int,
      metrics: list(
        obj({
          type: str,
          object: obj({ describedObject: crossVersionReference, target: metricTarget, metric: metricIdentifier }),
          pods: obj({ metric: metricIdentifier, target: metricTarget }),
          resource: obj({ name: str, target: metricTarget }),
          containerResource: obj({ name: str, target: metricTarget, container: str }),
          external: obj({ metric: metricIdentifier, target: metricTarget }),
        }),
      ),
      behavior: obj({ scaleUp: scalingRules, scaleDown: scalingRules }),
    },
    { required: ['scaleTargetRef', 'maxReplicas'] },
  ),
  status: obj({
    observedGeneration: int,
    lastScaleTime: time,
    currentReplicas: int,
    desiredReplicas: int,
    currentMetrics: { type: 'any' },
    conditions,
  }),
});

export const podDisruptionBudget = kindSchema('io.k8s.api.policy.v1.PodDisruptionBudget', {
  spec: obj({
    minAvailable: intOrString,
    maxUnavailable: intOrString,
    selector: labelSelector,
    unhealthyPodEvictionPolicy: str,
  }),
  status: obj({
    observedGeneration: int,
    disruptedPods: { type: 'map', items: time },
    ...all(int, 'disruptionsAllowed currentHealthy desiredHealthy expectedPods'),
    conditions,
  }),
});

export const scale = kindSchema('io.k8s.api.autoscaling.v1.Scale', {
  spec: obj({ replicas: int }),
  status: obj({ replicas: int, selector: str }),
});
