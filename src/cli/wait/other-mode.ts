import type { Placement } from '../../api/placement.ts';
import { applyStrategyOf } from '../../engine/bindings/apply-strategy.ts';
import type { Bound } from '../status/bindings.ts';
import type { Row } from '../status/listing.ts';

/**
 * Why a condition does not come, and which one comes instead: under ReportDiff nothing is applied, and without it nothing is
 * only compared. Undefined where it comes, and where a cluster is in another mode than the next run brings.
 */
export function conditionOfOtherMode(plural: string, row: Row, type: string): string | undefined {
  const isOfApplying = type === 'Applied' || type === 'Available';
  if (!isOfApplying && type !== 'DiffReported') return undefined;
  const modes = modesOf(plural, row).map((mode) => mode === 'ReportDiff');
  if (modes.length === 0 || !modes.every((compares) => compares === isOfApplying)) return undefined;
  return isOfApplying
    ? 'its applyStrategy is ReportDiff, so nothing is applied: use --for=DiffReported'
    : 'its applyStrategy is not ReportDiff, so differences are not reported: use --for=Available';
}

/** What the placement asks for and what the cluster is given, by the type of its apply strategy. */
function modesOf(plural: string, row: Row): string[] {
  if (plural === 'placements') return [(row.value as Placement).spec.strategy.applyStrategy.type];
  if (plural !== 'bindings') return [];
  const { placement, binding } = row.item as Bound;
  if (placement.object === undefined) return [];
  return [placement.object.spec.strategy.applyStrategy, applyStrategyOf(placement.object, binding)].map(
    ({ type }) => type,
  );
}
