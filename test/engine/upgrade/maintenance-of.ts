import { type MaintenanceConfiguration, maintenanceConfiguration } from '../../../src/api/maintenance-configuration.ts';
import { formatInstant, parseInstant } from '../../../src/engine/kernel/instant.ts';
import { type Maintenance, maintenanceOf, type Opening } from '../../../src/engine/upgrade/maintenance.ts';

export type WrittenWindow = Partial<MaintenanceConfiguration['spec']['maintenanceWindow']>;

/** A configuration of all members; it opens at 01:00 UTC for four hours, unless it says otherwise. */
export const configurationOf = (
  maintenanceWindow: WrittenWindow,
  spec: Partial<MaintenanceConfiguration['spec']> = { memberSelector: { byLabel: '!never' } },
  name = 'window',
): MaintenanceConfiguration =>
  maintenanceConfiguration.parse({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'MaintenanceConfiguration',
    metadata: { name },
    spec: {
      ...spec,
      maintenanceWindow: {
        schedule: { daily: { intervalDays: 1 } },
        startTime: '01:00',
        durationHours: 4,
        ...maintenanceWindow,
      },
    },
  });

/** What holds for a member with these windows. */
export const maintenanceBy = (...windows: readonly WrittenWindow[]): Maintenance =>
  maintenanceOf(
    windows.map((window, at) => configurationOf(window, undefined, `window-${at}`)),
    { name: 'eu-1', labels: {} },
    'Full',
  )!;

export const at = (instant: string): number => parseInstant(instant)!;
export const told = (instant: number | undefined): string | undefined =>
  instant === undefined ? undefined : formatInstant(instant);

/** `opens/closes`, as ISO 8601 writes intervals. */
export const intervals = (openings: readonly Opening[]): string[] =>
  openings.map(({ opensMs, closesMs }) => `${told(opensMs)}/${told(closesMs) ?? '..'}`);
