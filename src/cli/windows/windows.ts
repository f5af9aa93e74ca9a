import { type UpgradeType, upgradeType } from '../../api/upgrade-fields.ts';
import { parseInstant } from '../../engine/kernel/instant.ts';
import { isAlwaysOpen } from '../../engine/upgrade/maintenance.ts';
import { unreadSettings } from '../../engine/upgrade/unread-settings.ts';
import { type PlanOptions, readPlanInput } from '../plan/input.ts';
import { CliError } from '../terminal/exit.ts';
import { outputFormat, print, printJson } from '../terminal/output.ts';
import { table } from '../terminal/table.ts';
import { unknownName } from '../terminal/unknown-name.ts';
import { writeError, writeOutWithCrLf } from '../terminal/write.ts';
import { calendar } from './calendar.ts';
import { type ClusterWindows, windowsOf } from './cluster-windows.ts';

/** When the upgrades of a cluster may start, by its maintenance windows and the freezes of the fleet. */
export async function windows(
  cluster: string,
  options: PlanOptions & { readonly next: string; readonly type?: string; readonly output: string },
): Promise<void> {
  const format = outputFormat(options.output, ['table', 'json', 'ics']);
  const count = countOf(options.next);
  const types = typesAsked(options.type);
  const input = await readPlanInput(options);
  const windows = windowsOf(cluster, types, { input, count });
  const note = unreadSettings(input.fleet, 'MaintenanceConfiguration');
  if (note !== undefined) writeError(`note: ${note}\n`);
  if (format === 'json')
    return printJson({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'MaintenanceWindows',
      clusterName: cluster,
      windows,
    });
  if (format === 'ics') return writeOutWithCrLf(calendar(cluster, windows, input.now));
  const withoutWindow =
    note === undefined
      ? `no maintenance configuration is for ${cluster}: upgrades may start at any time`
      : `no valid maintenance configuration is for ${cluster}: no upgrade starts until all are valid`;
  print(
    windows
      .map((of) => asTable(of, { withoutWindow, isOneOfSeveral: windows.length > 1, nowMs: parseInstant(input.now)! }))
      .join('\n\n'),
  );
}

function asTable(
  { types, configurations, openings }: ClusterWindows,
  {
    withoutWindow,
    isOneOfSeveral,
    nowMs,
  }: { readonly withoutWindow: string; readonly isOneOfSeveral: boolean; readonly nowMs: number },
): string {
  const whose = isOneOfSeveral ? `${types.join(' and ')}: ` : '';
  if (configurations.length === 0) return whose + withoutWindow;
  const by = configurations.join(', ');
  if (openings.length === 0) return `${whose}no window of ${by} opens in the next three years`;
  const rows = openings.map(({ opens, closes, freeze }) => {
    const isAlways =
      closes === undefined && isAlwaysOpen({ opensMs: parseInstant(opens)!, closesMs: undefined }, nowMs);
    return [isAlways ? 'always open' : opens, closes ?? 'never', freeze];
  });
  return [...(isOneOfSeveral ? [`${whose}${by}`] : []), table(['OPENS', 'CLOSES', 'FROZEN'], rows)].join('\n');
}

function countOf(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 1000) return count;
  throw new CliError(`--next ${text} is not a number from 1 to 1000`);
}

function typesAsked(text: string | undefined): readonly UpgradeType[] {
  if (text === undefined) return upgradeType.options;
  const found = upgradeType.options.find((type) => type.toLowerCase() === text.toLowerCase());
  if (found) return [found];
  throw unknownName({ what: 'type of upgrade', name: text, known: upgradeType.options, flag: '--type' });
}
