import type { Row } from '../kinds/listing.ts';

/**
 * Why a condition does not come, and which one comes instead: under ReportDiff nothing is applied, and without it nothing is
 * only compared. Undefined where it comes, and where a cluster is in another mode than the next run brings.
 */
export function conditionOfOtherMode({ placed }: Row, type: string): string | undefined {
  const isOfApplying = type === 'Applied' || type === 'Available';
  if (!isOfApplying && type !== 'DiffReported') return undefined;
  const modes = placed?.applyStrategies.map((strategy) => strategy.type === 'ReportDiff') ?? [];
  if (modes.length === 0 || !modes.every((compares) => compares === isOfApplying)) return undefined;
  return isOfApplying
    ? 'its applyStrategy is ReportDiff, so nothing is applied: use --for=DiffReported'
    : 'its applyStrategy is not ReportDiff, so differences are not reported: use --for=Available';
}
