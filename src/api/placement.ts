import { z } from 'zod';
import {
  clusterName,
  condition,
  int32,
  intOrPercent,
  labelSelector,
  objectMeta,
  type PlacementKey,
  type PlacementName,
} from './meta.ts';
import { mostValues, propertyOperatorNames } from './property-operators.ts';

export const resourceSelector = z.strictObject({
  group: z.string(),
  version: z.string(),
  kind: z.string(),
  name: z.string().optional(),
  labelSelector: labelSelector.optional(),
  selectionScope: z
    .enum(['NamespaceWithResources', 'NamespaceOnly', 'NamespaceWithResourceSelectors'])
    .default('NamespaceWithResources'),
});
export type ResourceSelector = z.output<typeof resourceSelector>;

/** Whether namespaces are selected (core/v1), with or without their content. */
export const selectsNamespaces = ({ group, version, kind }: ResourceSelector): boolean =>
  group === '' && version === 'v1' && kind === 'Namespace';

/** Whether the other selectors select inside the namespace of this one. */
export const givesNamespace = (selector: ResourceSelector): boolean =>
  selectsNamespaces(selector) && selector.selectionScope === 'NamespaceWithResourceSelectors';

export const propertySelectorRequirement = z.strictObject({
  name: z.string(),
  operator: z.enum(propertyOperatorNames),
  values: z.array(z.string()).max(mostValues),
});
export const propertySorter = z.strictObject({ name: z.string(), sortOrder: z.enum(['Ascending', 'Descending']) });

export const clusterSelectorTerm = z.strictObject({
  labelSelector: labelSelector.optional(),
  propertySelector: z.strictObject({ matchExpressions: z.array(propertySelectorRequirement) }).optional(),
  propertySorter: propertySorter.optional(),
});
export type ClusterSelectorTerm = z.output<typeof clusterSelectorTerm>;

export const toleration = z.strictObject({
  key: z.string().optional(),
  operator: z.enum(['Equal', 'Exists']).default('Equal'),
  value: z.string().optional(),
  effect: z.enum(['NoSchedule', '']).optional(),
});
export type Toleration = z.output<typeof toleration>;

export const topologySpreadConstraint = z.strictObject({
  maxSkew: int32.min(1).default(1),
  topologyKey: z.string(),
  whenUnsatisfiable: z.enum(['DoNotSchedule', 'ScheduleAnyway']).default('DoNotSchedule'),
});
export type TopologySpreadConstraint = z.output<typeof topologySpreadConstraint>;

export const placementPolicy = z.strictObject({
  placementType: z.enum(['PickAll', 'PickN', 'PickFixed']).default('PickAll'),
  clusterNames: z.array(clusterName()).max(100).optional(),
  numberOfClusters: int32.min(0).optional(),
  affinity: z
    .strictObject({
      clusterAffinity: z
        .strictObject({
          requiredDuringSchedulingIgnoredDuringExecution: z
            .strictObject({ clusterSelectorTerms: z.array(clusterSelectorTerm).max(10) })
            .optional(),
          preferredDuringSchedulingIgnoredDuringExecution: z
            .array(z.strictObject({ weight: z.number().int().min(-100).max(100), preference: clusterSelectorTerm }))
            .optional(),
        })
        .optional(),
    })
    .optional(),
  topologySpreadConstraints: z.array(topologySpreadConstraint).optional(),
  tolerations: z.array(toleration).max(100).optional(),
});
export type PlacementPolicy = z.output<typeof placementPolicy>;

/** Whether it selects exactly one cluster in every fleet. */
export const isOfOneCluster = ({ placementType, clusterNames, numberOfClusters }: PlacementPolicy): boolean =>
  placementType === 'PickFixed' ? clusterNames?.length === 1 : placementType === 'PickN' && numberOfClusters === 1;

export const applyStrategy = z.strictObject({
  type: z.enum(['ClientSideApply', 'ServerSideApply', 'ReportDiff']).default('ClientSideApply'),
  comparisonOption: z.enum(['PartialComparison', 'FullComparison']).default('PartialComparison'),
  whenToApply: z.enum(['Always', 'IfNotDrifted']).default('Always'),
  whenToTakeOver: z.enum(['Always', 'IfNoDiff', 'Never']).default('Always'),
  allowCoOwnership: z.boolean().default(false),
  serverSideApplyConfig: z.strictObject({ force: z.boolean().default(false) }).optional(),
});
export type ApplyStrategy = z.output<typeof applyStrategy>;

export const rollingUpdate = z.strictObject({
  maxUnavailable: intOrPercent.default('25%'),
  maxSurge: intOrPercent.default('25%'),
  unavailablePeriodSeconds: int32.min(0).default(60),
});
export type RollingUpdate = z.output<typeof rollingUpdate>;

/** The default rollout budgets. */
export const defaultRollingUpdate: RollingUpdate = rollingUpdate.parse({});

const writtenStrategy = z.strictObject({
  type: z.enum(['RollingUpdate', 'External']).default('RollingUpdate'),
  /** Without effect if `type` is External: the rules refuse it then. */
  rollingUpdate: rollingUpdate.optional(),
  applyStrategy: applyStrategy.prefault({}),
  deleteStrategy: z.strictObject({ propagationPolicy: z.enum(['Delete', 'Abandon']).default('Delete') }).optional(),
  reportBackStrategy: z
    .strictObject({
      type: z.enum(['Disabled', 'Mirror']).default('Disabled'),
      destination: z.enum(['OriginalResource', 'WorkAPI']).optional(),
    })
    .optional(),
});
export type RolloutStrategy = Omit<z.output<typeof writtenStrategy>, 'type' | 'rollingUpdate'> &
  ({ type: 'RollingUpdate'; rollingUpdate: RollingUpdate } | { type: 'External'; rollingUpdate?: never });

/** A RollingUpdate has budgets, whether they are written or not; External has none, even if they are. */
export const rolloutStrategy = writtenStrategy.transform(
  ({ type, rollingUpdate = defaultRollingUpdate, ...written }): RolloutStrategy =>
    type === 'External' ? { type, ...written } : { type, ...written, rollingUpdate },
);

export const placementSpec = z.strictObject({
  resourceSelectors: z.array(resourceSelector).min(1).max(100),
  /** Absent in a file means PickAll; the loader fills it in. */
  policy: placementPolicy.prefault({}),
  strategy: rolloutStrategy.prefault({}),
  revisionHistoryLimit: z.number().int().min(1).max(1000).default(10),
  statusReportingScope: z.enum(['ClusterScopeOnly', 'NamespaceAccessible']).default('ClusterScopeOnly'),
});

/** The defaults of a placement that selects nothing. */
export const emptySpec: z.output<typeof placementSpec> = {
  resourceSelectors: [],
  ...placementSpec.omit({ resourceSelectors: true }).parse({}),
};

/** KubeFleet's ResourceIdentifier: one selected resource. */
export const resourceIdentifier = z.strictObject({
  group: z.string().optional(),
  version: z.string(),
  kind: z.string(),
  name: z.string(),
  namespace: z.string().optional(),
  envelope: z
    .strictObject({ name: z.string(), namespace: z.string().optional(), type: z.string().optional() })
    .optional(),
});
export type ResourceIdentifier = z.output<typeof resourceIdentifier>;

/** A difference between an object on a member and its manifest. */
export const patchDetail = z.looseObject({
  path: z.string(),
  valueInMember: z.string().optional(),
  valueInHub: z.string().optional(),
  /** Ours: the field manager that made the difference, if known. */
  manager: z.string().optional(),
  /** Ours: the difference has been repaired since. */
  repaired: z.boolean().optional(),
});
export type PatchDetail = z.output<typeof patchDetail>;

export const failedPlacement = z.looseObject({ ...resourceIdentifier.shape, condition });
export type FailedPlacement = z.output<typeof failedPlacement>;
export const driftedPlacement = z.looseObject({
  ...resourceIdentifier.shape,
  observationTime: z.string().optional(),
  targetClusterObservedGeneration: z.number().int().optional(),
  firstDriftedObservedTime: z.string().optional(),
  observedDrifts: z.array(patchDetail).optional(),
});
export type DriftedPlacement = z.output<typeof driftedPlacement>;
export const diffedPlacement = z.looseObject({
  ...resourceIdentifier.shape,
  observationTime: z.string().optional(),
  targetClusterObservedGeneration: z.number().int().optional(),
  firstDiffedObservedTime: z.string().optional(),
  observedDiffs: z.array(patchDetail).optional(),
});
export type DiffedPlacement = z.output<typeof diffedPlacement>;

export const perClusterPlacementStatus = z.looseObject({
  clusterName: clusterName().optional(),
  observedResourceIndex: z.string().optional(),
  applicableResourceOverrides: z.array(z.strictObject({ name: z.string(), namespace: z.string() })).optional(),
  applicableClusterResourceOverrides: z.array(z.string()).optional(),
  failedPlacements: z.array(failedPlacement).optional(),
  driftedPlacements: z.array(driftedPlacement).optional(),
  diffedPlacements: z.array(diffedPlacement).optional(),
  conditions: z.array(condition).optional(),
});
export type PerClusterPlacementStatus = z.output<typeof perClusterPlacementStatus>;

export const placementStatus = z.looseObject({
  selectedResources: z.array(resourceIdentifier).optional(),
  observedResourceIndex: z.string().optional(),
  placementStatuses: z.array(perClusterPlacementStatus).optional(),
  conditions: z.array(condition).optional(),
});
export type PlacementStatus = z.output<typeof placementStatus>;

const versions = z.enum(['placement.kubernetes-fleet.io/v1', 'placement.kubernetes-fleet.io/v1beta1']);

export const clusterResourcePlacement = z.strictObject({
  apiVersion: versions,
  kind: z.literal('ClusterResourcePlacement'),
  metadata: objectMeta,
  spec: placementSpec,
  status: placementStatus.optional(),
});
export const resourcePlacement = z.strictObject({
  apiVersion: versions,
  kind: z.literal('ResourcePlacement'),
  metadata: objectMeta,
  spec: placementSpec,
  status: placementStatus.optional(),
});

/** The status that a placement with `statusReportingScope: NamespaceAccessible` has in its namespace. */
export const statusInNamespace = z.looseObject({
  apiVersion: versions,
  kind: z.literal('ClusterResourcePlacementStatus'),
  metadata: z.looseObject({ name: z.string(), namespace: z.string() }),
  sourceStatus: placementStatus,
  lastUpdatedTime: z.string(),
});
export type StatusInNamespace = z.output<typeof statusInNamespace>;

export type PlacementKind = 'ClusterResourcePlacement' | 'ResourcePlacement';
/** A placement of either scope; `metadata.namespace` is set exactly for a ResourcePlacement. */
export type ClusterResourcePlacement = z.output<typeof clusterResourcePlacement>;
export type ResourcePlacement = z.output<typeof resourcePlacement>;
export type Placement = ClusterResourcePlacement | ResourcePlacement;

/** Identifies a placement across documents. */
export interface PlacementRef {
  readonly kind: PlacementKind;
  readonly name: PlacementName;
  readonly namespace?: string;
}

/** Whether a value is a kind of placement. */
export const isPlacementKind = (kind: unknown): kind is PlacementKind =>
  kind === 'ClusterResourcePlacement' || kind === 'ResourcePlacement';

/** Whether a fleet object is a placement, by its kind. */
export const isPlacement = (object: { readonly kind: string }): object is Placement => isPlacementKind(object.kind);

/** `name` or `namespace.name`: unique over both kinds because a namespace contains no dot. */
export const placementKey = (ref: { readonly name: string; readonly namespace?: string | undefined }): PlacementKey =>
  (ref.namespace === undefined ? ref.name : `${ref.namespace}.${ref.name}`) as PlacementKey;

/** The reference of a placement in plans. A cluster-scoped one has no namespace, even if its file sets one. */
export const refOf = (placement: Placement): PlacementRef => ({
  kind: placement.kind,
  name: placement.metadata.name,
  ...(placement.kind === 'ResourcePlacement' ? { namespace: placement.metadata.namespace ?? '' } : {}),
});

/** A placement by its name: one in a namespace is a ResourcePlacement. */
export const refNamed = ({ name, namespace }: Omit<PlacementRef, 'kind'>): PlacementRef =>
  namespace === undefined ? { kind: 'ClusterResourcePlacement', name } : { kind: 'ResourcePlacement', name, namespace };

/** Whether the objects of a placement stay when it is deleted (KubeFleet's deleteStrategy). */
export const abandons = ({ spec }: Placement): boolean => spec.strategy.deleteStrategy?.propagationPolicy === 'Abandon';
