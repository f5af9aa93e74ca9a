import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { type Placement, refOf } from '../../api/placement.ts';
import type { StageStatus, UpdateRunStatus } from '../../api/staged.ts';
import { type Fleet, sourceKey } from '../input.ts';
import { memoize } from '../kernel/memoize.ts';
import { shortList } from '../kernel/short-list.ts';
import { withoutIndex } from '../overrides/snapshot-id.ts';
import type { Hold } from '../plan-document.ts';
import { groupVersionOf } from '../selection/group-version.ts';
import { describeRef } from '../selection/object-key.ts';
import { isDisabledKind } from '../selection/placeable.ts';

type LastGoodVersions = NonNullable<UpdateRunStatus['lastGoodVersions']>;
type Ref = Pick<ObjectRef, 'kind' | 'name'> & { readonly namespace?: string | undefined };

/** What a run takes when it is initialized. */
export interface TakenByRun {
  readonly placement: Placement;
  /** Of its snapshot. */
  readonly manifests: readonly Manifest[];
  /** With the overrides of each cluster. */
  readonly stages: readonly Pick<StageStatus, 'clusters'>[];
}

/**
 * What a run takes at its last good version, and what it lacks since there is none, with the file that is not valid or cannot be read.
 * Whether an override or a resource that lacks would be part of it is known only as far as its kind, name and namespace tell.
 */
export function lastGoodVersionsIn(
  taken: TakenByRun,
  {
    holds,
    fleet,
  }: { readonly holds: readonly Hold[]; readonly fleet: Pick<Fleet, 'refused' | 'whyRefused' | 'unreadable'> },
): LastGoodVersions {
  const held = atLastGood(holds);
  if (held.size === 0 && fleet.refused.length === 0) return [];
  const keyOf = (ref: Ref): string => sourceKey(ref.kind, ref);
  const entry = (ref: Ref): LastGoodVersions[number] => {
    const { kind, name, namespace } = ref;
    // Which of several files that cannot be read has it is unknown.
    const file =
      fleet.whyRefused.get(keyOf(ref))?.file ?? (fleet.unreadable.length === 1 ? fleet.unreadable[0] : undefined);
    return { kind, name, ...(namespace ? { namespace } : {}), ...(file !== undefined && { file }) };
  };
  const used: Ref[] = [
    ...taken.manifests.map(({ kind, metadata: { name, namespace } }) => ({ kind, name, namespace })),
    ...overridesIn(taken.stages),
    refOf(taken.placement),
  ];
  const lacking = fleet.refused.filter((ref) => !held.has(keyOf(ref)) && mayBelong(ref, taken));
  return [
    ...used.filter((ref) => held.has(keyOf(ref))).map(entry),
    ...lacking.map((ref) => ({ ...entry(ref), isLacking: true as const })),
  ];
}

/** Whether a run might have an object, by its kind, name and namespace. */
function mayBelong(ref: ObjectRef, { placement, manifests }: TakenByRun): boolean {
  const namespaces =
    placement.kind === 'ResourcePlacement'
      ? [placement.metadata.namespace]
      : manifests.flatMap(({ kind, metadata }) => (kind === 'Namespace' ? [metadata.name] : []));
  const isInside = ref.namespace !== undefined && namespaces.includes(ref.namespace);
  if (ref.kind === 'ClusterResourceOverride') return true;
  if (ref.kind === 'ResourceOverride') return isInside;
  const { group, version } = groupVersionOf(ref.apiVersion);
  if (isDisabledKind(group, version, ref.kind)) return false;
  const isNamed = placement.spec.resourceSelectors.some(
    ({ kind, name }) => kind === ref.kind && (name === undefined || name === ref.name),
  );
  if (placement.kind === 'ResourcePlacement') return isInside && isNamed;
  return isInside || (ref.namespace === undefined && isNamed);
}

function overridesIn(stages: TakenByRun['stages']): readonly Ref[] {
  const refs = stages.flatMap(({ clusters }) =>
    clusters.flatMap(
      ({ clusterResourceOverrideSnapshots: cluster = [], resourceOverrideSnapshots: namespaced = [] }) => [
        ...cluster.map((name): Ref => ({ kind: 'ClusterResourceOverride', name: withoutIndex(name) })),
        ...namespaced.map(
          ({ name, namespace }): Ref => ({ kind: 'ResourceOverride', name: withoutIndex(name), namespace }),
        ),
      ],
    ),
  );
  return [...new Map(refs.map((ref) => [sourceKey(ref.kind, ref), ref])).values()];
}

const atLastGood = memoize(
  (holds: readonly Hold[]): ReadonlySet<string> =>
    new Set(
      holds.flatMap(({ reason, subject }) => (reason === 'LastGoodVersion' ? sourceKey(subject.kind, subject) : [])),
    ),
);

/** One sentence for each file: its change is not in the run, although it may have come in the same commit. */
export const lastGoodTexts = ({ lastGoodVersions = [] }: Pick<UpdateRunStatus, 'lastGoodVersions'>): string[] =>
  [...Map.groupBy(lastGoodVersions, ({ file }) => file)].map(([file, of]) => {
    const kept = of.filter(({ isLacking }) => !isLacking).map(describeRef);
    const lacking = of.filter(({ isLacking }) => isLacking).map(describeRef);
    const has = [
      ...(kept.length > 0 ? [`has the last good version of ${shortList(kept)}`] : []),
      ...(lacking.length > 0 ? [`does not have ${shortList(lacking)}`] : []),
    ];
    return `${file ?? 'a file'} was not valid when the run was initialized: the run ${has.join(' and ')}`;
  });
