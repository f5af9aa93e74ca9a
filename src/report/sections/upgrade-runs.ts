import { shortList } from '../../engine/kernel/short-list.ts';
import type { PlannedUpgradeRun } from '../../engine/plan-document.ts';
import { upgradeProgress } from '../upgrades/progress.ts';
import type { Item } from './section.ts';

/** Cluster update runs of a plan, with how far each one is. */
export const upgradeRunItems = (runs: readonly PlannedUpgradeRun[]): Item[] =>
  runs.map((run) => ({ line: [{ bold: run.name }, `: ${upgradeRunText(run)}`] }));

/** `Running, 1 of 3 clusters done, upgrading eu-1` */
export function upgradeRunText({ status }: Pick<PlannedUpgradeRun, 'status'>): string {
  const { done, total, inFlight } = upgradeProgress(status);
  const now = inFlight.length === 0 ? '' : `, upgrading ${shortList(inFlight)}`;
  return `${status.status.state}, ${done} of ${total} clusters done${now}`;
}
