import type { Row } from '../kinds/listing.ts';

/**
 * Why the apply strategy rules a condition out, and which one to wait for: under ReportDiff nothing is applied, and otherwise
 * nothing is only compared. Undefined where the condition is possible, also because the next run changes the strategy.
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
