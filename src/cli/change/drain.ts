import { stringify } from 'yaml';
import { cordonTaint, isCordon } from '../../api/cordon-taint.ts';
import type { Eviction } from '../../api/eviction.ts';
import type { Binding } from '../../api/placement-state.ts';
import { isTerminal } from '../../engine/evict/evict.ts';
import type { FleetRecord } from '../../engine/input.ts';
import { memberNameLabel } from '../../engine/placement/members.ts';
import { tolerates } from '../../engine/placement/rules/taint-toleration.ts';
import { sourceOf } from '../../engine/problem-of.ts';
import { sha256 } from '../../repo/sha256.ts';
import { titleOf } from '../../repo/title-of.ts';
import { shortageText } from '../../report/shortage.ts';
import { type KnownPlacement, knownPlacements } from '../status/known-placements.ts';
import { cordonEdit, memberNamed } from './cordon.ts';
import { removeObject } from './edit-yaml.ts';
import { type Desired, withDesired } from './open-desired.ts';
import { recordFor } from './record-for.ts';
import { type ChangeOptions, reportChange } from './report-change.ts';
import { shortagesAhead } from './shortages-ahead.ts';

export interface DrainOptions extends ChangeOptions {
  readonly statusBranch: string;
  readonly direct?: boolean;
}

/** Prefix of the names of a drain's evictions (as of KubeFleet's drain tool). */
const drainPrefix = 'drain-eviction-';

/**
 * Empties a cluster: a taint, so that nothing new is placed there, and an eviction for every ClusterResourcePlacement on it,
 * which disruption budgets may refuse. Written as files on a branch; merging it starts the drain.
 */
export async function drain(cluster: string, options: DrainOptions): Promise<void> {
  await withDesired(options, async (desired) => {
    const member = memberNamed(desired, cluster);
    const edits = new Map<string, string>();
    if (!member.spec.taints?.some(isCordon)) edits.set(...(await cordonEdit(desired, member, true)));
    const record = await recordFor(desired, options.statusBranch);
    const leaving = new Set<string>();
    const evicted: string[] = [];
    const notes: string[] = [];
    for (const { placement, binding } of boundTo(record, cluster)) {
      const obstacle = whyNotEvicted(placement, binding);
      if (obstacle !== undefined) {
        notes.push(`${placement.title} stays on ${cluster}: ${obstacle}`);
        continue;
      }
      if (returns(placement)) notes.push(`${placement.title} may come back to ${cluster}: it tolerates the taint`);
      else leaving.add(placement.title);
      if (isUnderWay(desired, record, placement, cluster)) continue;
      evicted.push(placement.title);
      edits.set(...evictionFile(desired, placement, cluster));
    }
    if (leaving.size > 0)
      for (const shortage of shortagesAhead(desired, record, { kind: 'without', cluster }).worse)
        if (leaving.has(titleOf(shortage)))
          notes.push(`${titleOf(shortage)} will not have enough clusters: only ${shortageText(shortage)}`);
    if (record.commit === undefined)
      notes.push(`there is no status yet: it is unknown what is placed on ${cluster}, so nothing is evicted`);
    for (const key of record.unread?.placements.keys() ?? [])
      notes.push(`the state of ${key} cannot be read: it is unknown whether it is placed on ${cluster}`);
    await reportChange(
      desired,
      {
        edits,
        message: `Drain ${cluster}${evicted.length === 0 ? '' : `\n\nEvicts ${evicted.join(', ')}.`}`,
        branch: options.direct ? undefined : `gitfleet/drain/${cluster}`,
        ifProtected: 'leave --direct out',
      },
      {
        options,
        summary: {
          done: `${cluster} is to be cordoned${evicted.length === 0 ? '' : `, and ${evicted.join(', ')} evicted from it`}`,
          already: `${cluster} is cordoned already and there is nothing more to evict`,
          notes,
        },
      },
    );
  });
}

const boundTo = (record: FleetRecord, cluster: string) =>
  knownPlacements(record).flatMap((placement) =>
    placement.state.bindings
      .filter(({ targetCluster, deleting }) => targetCluster === cluster && !deleting)
      .map((binding) => ({ placement, binding })),
  );

/** Why an eviction would have no effect (KubeFleet clusterresourceplacementeviction/controller.go). */
function whyNotEvicted({ kind, object }: KnownPlacement, { state, targetCluster }: Binding): string | undefined {
  if (object?.spec.policy.placementType === 'PickFixed')
    return `its policy is PickFixed; remove ${targetCluster} from clusterNames`;
  if (kind === 'ResourcePlacement')
    return `only a ClusterResourcePlacement can be evicted; require ${memberNameLabel} NotIn [${targetCluster}] in its clusterAffinity`;
  if (state === 'Scheduled') return 'it is scheduled there and not placed yet; drain again once it is';
  return undefined;
}

const returns = ({ object }: KnownPlacement): boolean =>
  (object?.spec.policy.tolerations ?? []).some((toleration) => tolerates(toleration, cordonTaint));

/** Whether the repo has an eviction already that was neither carried out nor refused. */
function isUnderWay({ fleet }: Desired, record: FleetRecord, { name }: KnownPlacement, cluster: string): boolean {
  const isOver = ({ metadata }: Eviction): boolean => isTerminal(record.evictions.get(metadata.name) ?? {});
  return fleet.evictions.some(
    (eviction) => eviction.spec.placementName === name && eviction.spec.clusterName === cluster && !isOver(eviction),
  );
}

/** An eviction works once, so every drain needs names of its own: they come from the commit that it is made on. */
function evictionFile(
  { tip, folder }: Desired,
  { name: placementName }: KnownPlacement,
  clusterName: string,
): [string, string] {
  const digest = sha256(`${tip} ${placementName} ${clusterName}`).slice(0, 8);
  const name = `${`${drainPrefix}${placementName}-${clusterName}`.slice(0, 240)}-${digest}`;
  const object = {
    apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
    kind: 'ClusterResourcePlacementEviction',
    metadata: { name },
    spec: { placementName, clusterName },
  };
  return [`${folder}evictions/${name}.yaml`, stringify(object, { lineWidth: 0 })];
}

/** Files as they are without the evictions that drains of a cluster left. */
export async function withoutDrain(
  { fleet, text }: Desired,
  cluster: string,
): Promise<Map<string, string | undefined>> {
  const edits = new Map<string, string | undefined>();
  for (const { kind, metadata, spec } of fleet.evictions) {
    if (spec.clusterName !== cluster || !metadata.name.startsWith(drainPrefix)) continue;
    const file = sourceOf(fleet, { kind, name: metadata.name })?.file ?? '';
    const before = edits.has(file) ? edits.get(file) : await text(file);
    edits.set(file, removeObject({ file, text: before ?? '' }, { kind, name: metadata.name }));
  }
  return edits;
}
