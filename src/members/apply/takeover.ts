import type { Manifest } from '../../api/meta.ts';
import type { ApplyStrategy, PatchDetail } from '../../api/placement.ts';
import { placementLabel } from '../../engine/overrides/ownership.ts';

export interface Refusal {
  readonly result: 'FailedToTakeOver' | 'NotTakenOver' | 'ManifestApplyFailed';
  readonly message: string;
  readonly details?: PatchDetail[];
}

/**
 * Why an existing object must be left alone; undefined when it is ours or may be taken over. The label stands for KubeFleet's owner
 * reference to an AppliedWork (drift_detection_takeover.go, preprocess.go): ours = taken over, another placement's = another
 * AppliedWork, foreign owner references = other owners. KubeFleet first removes references to an AppliedWork without a Work;
 * likewise the label of a placement that does not have the object here is ignored.
 */
export async function refusalOf(input: {
  readonly live: Manifest;
  readonly label: string;
  /** Whether the placement with this label has or may have the object on the member. */
  readonly isPlaced: (label: string) => boolean;
  readonly strategy: ApplyStrategy;
  readonly diff: () => Promise<PatchDetail[]>;
}): Promise<Refusal | undefined> {
  const { live, label, strategy } = input;
  const mark = live.metadata.labels?.[placementLabel];
  const held = mark !== undefined && (mark === label || input.isPlaced(mark)) ? mark : undefined;
  const owner = foreignOwner(live);
  const report = strategy.type === 'ReportDiff';
  if (held === label) {
    if (owner === undefined || strategy.allowCoOwnership || report) return undefined;
    const message = `the object is also owned by ${owner}; set allowCoOwnership: true to share it`;
    return { result: 'ManifestApplyFailed', message };
  }
  if (strategy.whenToTakeOver === 'Never') {
    if (report) return undefined;
    const whose = held === undefined ? '' : ` for placement ${held}`;
    const message = `the object exists on the member${whose} and whenToTakeOver is Never`;
    return { result: 'NotTakenOver', message };
  }
  if (held !== undefined) {
    const message = `the object is already placed by ${held}: two placements may not share an object`;
    return { result: 'FailedToTakeOver', message };
  }
  if (owner !== undefined && !strategy.allowCoOwnership) {
    const message = `the object is owned by ${owner}; set allowCoOwnership: true to share it`;
    return { result: 'FailedToTakeOver', message };
  }
  if (strategy.whenToTakeOver === 'IfNoDiff') {
    const details = await input.diff();
    if (details.length > 0) {
      const message = 'the object on the member differs and whenToTakeOver is IfNoDiff';
      return { result: 'FailedToTakeOver', message, details };
    }
  }
  return undefined;
}

/** `ReplicaSet web-5d4`, the first of the owners. */
export function foreignOwner(live: Manifest): string | undefined {
  const owners = live.metadata['ownerReferences'] as readonly { kind: string; name: string }[] | undefined;
  return owners?.[0] && `${owners[0].kind} ${owners[0].name}`;
}
