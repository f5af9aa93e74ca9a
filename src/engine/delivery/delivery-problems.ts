import type { ClusterName } from '../../api/meta.ts';
import { type Placement, type ResourceIdentifier, refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import type { Problem, ProblemCode } from '../../api/problem.ts';
import { sameObject } from '../bindings/conditions/object-lists.ts';
import type { Fleet, HubObject } from '../input.ts';
import { findCondition } from '../kernel/condition.ts';
import { memoize } from '../kernel/memoize.ts';
import { shortList } from '../kernel/short-list.ts';
import { patchNamed } from '../overrides/effective.ts';
import { lookupOf } from '../overrides/lookup.ts';
import { overrideOf } from '../overrides/snapshot-id.ts';
import type { OverrideHistory } from '../overrides/snapshots.ts';
import type { BindingStep, PlacementWork } from '../placement-work.ts';
import { sourceOf } from '../problem-of.ts';
import { knownManifests } from '../recovery/rebuilt-snapshot.ts';
import { apiVersionOf } from '../selection/group-version.ts';
import { describeRef, keyOfManifest, objectKey } from '../selection/object-key.ts';
import type { World } from '../world.ts';
import { type FailedObject, fixOfObject } from './fix-of-object.ts';

/**
 * Problems of a placement on its clusters: an override that fails, an envelope that cannot be unpacked, an object that a
 * member refuses. One warning for each cause, however many clusters share it, at the file to change. They are no errors: the
 * files are valid, and the plan may be right for other members. Applied objects that are not available yet are no problem.
 */
export function deliveryProblems(
  work: PlacementWork,
  { fleet, overrides, render }: { readonly fleet: Fleet } & Pick<World, 'overrides' | 'render'>,
): Problem[] {
  const { placement, bindings } = work;
  return failuresOf(bindings)
    .map((failure) => (isLost(failure, work) ? { ...failure, code: 'lost-snapshot' as const } : failure))
    .map((failure) => ({ ...failure, about: failure.about ?? failingOverride(failure, work, render) }))
    .map(({ code, about, why, clusters }) => ({
      severity: 'warning' as const,
      code,
      ...placeOf({ about, why, placement, fleet }),
      message: `${describeRef(refOf(placement))}: ${failureText({ code, about })} ${shortList(clusters)}${why && `: ${why}`}`,
      ...fixOf({ about, why, placement, fleet, overrides }),
    }));
}

function fixOf(of: {
  readonly about: About;
  readonly why: string;
  readonly placement: Placement;
  readonly fleet: Fleet;
  readonly overrides: OverrideHistory;
}): Pick<Problem, 'fix'> {
  const { about, why, placement, overrides } = of;
  if (about?.kind === 'object') {
    const fix = fixOfObject({ ...about, why }, of);
    return fix === undefined ? {} : { fix };
  }
  const used = about && lookupOf(overrides).byId.get(about.id);
  return used && !used.latest && placement.spec.strategy.type === 'External' ? { fix: newRun } : {};
}

/** A fixed file does not change a run that has started (KubeFleet updaterun/initialization.go records what it found). */
const newRun =
  'its file has changed since, and a run keeps the overrides that it started with: remove the file of that run, and commit a new run';

const codes = ['failing-override', 'failing-envelope', 'failing-object', 'lost-snapshot'] as const;
type Code = (typeof codes)[number];

/** Whether a problem is one of `deliveryProblems`, which conditions of bindings report too. */
export const isOfDelivery = (code: ProblemCode): boolean => codes.some((one) => one === code);

/** The cause: an override, an object, or nothing that has a file of its own. */
type About =
  | {
      readonly kind: 'override';
      readonly override: { kind: string; name: string; namespace?: string | undefined };
      /** Of its snapshot. */
      readonly id: string;
    }
  | ({ readonly kind: 'object' } & FailedObject)
  | undefined;

interface DeliveryFailure {
  readonly code: Code;
  readonly about: About;
  /** Message of the first of the clusters. */
  readonly why: string;
  readonly clusters: readonly ClusterName[];
  /** Of the first of them. */
  readonly binding: Binding;
}

/** Where the contents of a snapshot are unknown, no envelope is the cause: there is nothing to unpack. */
const isLost = ({ code, binding: { resourceSnapshotIndex: index } }: DeliveryFailure, work: PlacementWork): boolean =>
  code === 'failing-envelope' && index !== undefined && knownManifests(work, index) === undefined;

/** The condition of the binding says in a sentence what rendering says by id. */
function failingOverride(
  { code, binding }: DeliveryFailure,
  { placement, contents }: PlacementWork,
  render: World['render'],
): About {
  if (code !== 'failing-override') return undefined;
  const { resourceSnapshotIndex: index = -1, targetCluster: cluster } = binding;
  const rendered = render({
    placement: refOf(placement),
    manifests: contents.get(index) ?? [],
    lists: binding,
    cluster,
  });
  if (rendered.ok || rendered.reason !== 'OverriddenFailed') return undefined;
  return { kind: 'override', id: rendered.override, override: overrideOf(rendered.override) };
}

/** Cached: unchanged placements keep their bindings from plan to plan, and of a hundred thousand few have failures. */
const failuresOf = memoize((bindings: readonly BindingStep[]): readonly DeliveryFailure[] => {
  const failures = new Map<string, DeliveryFailure & { readonly clusters: ClusterName[] }>();
  for (const { binding } of bindings) {
    if (binding.deleting) continue;
    for (const { key, ...failure } of failuresAt(binding)) {
      const known = failures.get(key);
      if (known) known.clusters.push(binding.targetCluster);
      else failures.set(key, { ...failure, clusters: [binding.targetCluster] });
    }
  }
  return [...failures.values()];
});

/** `key`: the same for all clusters with the same failure, although their messages may differ. */
function failuresAt(binding: Binding): (Omit<DeliveryFailure, 'clusters'> & { readonly key: string })[] {
  const failing = (type: string, reason: string) => {
    const found = findCondition(binding.conditions, type);
    return found?.status === 'False' && found.reason === reason ? (found.message ?? '') : undefined;
  };
  const override = failing('Overridden', 'OverriddenFailed');
  if (override !== undefined)
    return [{ key: `override ${override}`, code: 'failing-override', about: undefined, why: override, binding }];
  const envelope = failing('WorkSynchronized', 'SyncWorkFailed');
  if (envelope !== undefined)
    return [
      {
        key: `envelope ${envelope}`,
        code: 'failing-envelope',
        about: undefined,
        why: envelope,
        binding,
      },
    ];
  if (!binding.failedPlacements || findCondition(binding.conditions, 'Applied')?.status !== 'False') return [];
  return binding.failedPlacements.flatMap(({ condition, ...object }) =>
    condition.type !== 'Applied'
      ? []
      : [
          {
            key: `object ${keyOf(object)} ${condition.reason}`,
            code: 'failing-object' as const,
            about: {
              kind: 'object' as const,
              object,
              reason: condition.reason,
              differs: binding.diffedPlacements?.some((it) => sameObject(it, object)) ?? false,
            },
            why: condition.message || condition.reason,
            binding,
          },
        ],
  );
}

const keyOf = ({ group = '', version, kind, namespace, name }: ResourceIdentifier): string =>
  objectKey({ apiVersion: apiVersionOf(group, version), kind, namespace, name });

function failureText({ code, about }: { readonly code: Code; readonly about: About }): string {
  if (about?.kind === 'object') return `${describeRef(about.object)} cannot be applied to`;
  if (code === 'lost-snapshot') return 'the record has lost the snapshot for';
  return code === 'failing-envelope' ? 'an envelope cannot be unpacked for' : 'an override fails on';
}

/** The position to change: the patch of the override, the object if the repo still has it, else the placement. */
function placeOf(of: {
  readonly about: About;
  readonly why: string;
  readonly placement: Placement;
  readonly fleet: Fleet;
}): Pick<Problem, 'file' | 'line' | 'inside' | 'path'> {
  const { about, why, placement, fleet } = of;
  const own = about?.kind === 'override' ? placeOfOverride(about.override, why, fleet) : undefined;
  const file = about?.kind === 'object' ? filesOf(fleet.resources).get(keyOf(about.object)) : undefined;
  if (file !== undefined) return { file };
  return own ?? sourceOf(fleet, refOf(placement)) ?? {};
}

/** The rendering message also names the patch in the snapshot; the file may have another one there by now. */
function placeOfOverride(
  named: { kind: string; name: string; namespace?: string | undefined },
  why: string,
  fleet: Fleet,
) {
  const { kind, name, namespace } = named;
  const source = sourceOf(fleet, named);
  const override = fleet.overrides.find(
    (one) => one.kind === kind && one.metadata.name === name && one.metadata.namespace === namespace,
  );
  const path = override?.spec.policy.overrideRules.flatMap(({ jsonPatchOverrides = [] }, rule) =>
    jsonPatchOverrides.flatMap(({ op, path: of }, patch) =>
      why.includes(`: ${patchNamed(rule, patch)}: ${op} ${of}: `)
        ? [`spec.policy.overrideRules.${rule}.jsonPatchOverrides.${patch}`]
        : [],
    ),
  )[0];
  return source && path !== undefined ? { ...source, path } : source;
}

const filesOf = memoize(
  (resources: readonly HubObject[]) =>
    new Map<string, string>(resources.map(({ manifest, file }) => [keyOfManifest(manifest), file])),
);
