import { z } from 'zod';
import { clusterName, objectMeta } from './meta.ts';
import { wrongAndFix } from './schema-message.ts';
import { memberSelector, weekday } from './upgrade-fields.ts';
import { ownVersion } from './upgrade-strategy.ts';

const every = (most: number) => z.number().int().min(1).max(most);
const date = z.iso.date(wrongAndFix('must be a date', 'write for example 2026-12-24'));

/** AKS's maintenanceWindow; `timeZone` is ours. */
const maintenanceWindow = z.strictObject({
  schedule: z.strictObject({
    daily: z.strictObject({ intervalDays: every(7) }).optional(),
    weekly: z.strictObject({ intervalWeeks: every(4), dayOfWeek: weekday }).optional(),
    absoluteMonthly: z
      .strictObject({ intervalMonths: every(6), dayOfMonth: z.number().int().min(1).max(31) })
      .optional(),
    relativeMonthly: z
      .strictObject({
        intervalMonths: every(6),
        weekIndex: z.enum(['First', 'Second', 'Third', 'Fourth', 'Last']),
        dayOfWeek: weekday,
      })
      .optional(),
  }),
  /** Hours that really pass, whatever clocks do meanwhile. */
  durationHours: z.number().int().min(4).max(24).default(24),
  /** `HH:mm`, local. */
  startTime: z.string(),
  /** Absent, and no `timeZone`: UTC. */
  utcOffset: z.string().optional(),
  /** An IANA name. */
  timeZone: z.string().optional(),
  /** Before this local day there is no window; the rhythm counts from it. */
  startDate: date.optional(),
  /** Local days on which nothing starts, both included. */
  notAllowedDates: z.array(z.strictObject({ start: date, end: date })).optional(),
});
export type MaintenanceWindow = z.output<typeof maintenanceWindow>;

/** When upgrades of some members may start (AKS managedClusters/maintenanceConfigurations). */
export const maintenanceConfiguration = z.strictObject({
  apiVersion: ownVersion,
  kind: z.literal('MaintenanceConfiguration'),
  metadata: objectMeta,
  spec: z.strictObject({
    clusterName: clusterName(z.string().min(1).max(63)).optional(),
    memberSelector: memberSelector.optional(),
    /** Absent = of Kubernetes versions and of node images. */
    configurationName: z
      .enum(['default', 'aksManagedAutoUpgradeSchedule', 'aksManagedNodeOSUpgradeSchedule'])
      .optional(),
    maintenanceWindow,
  }),
});
export type MaintenanceConfiguration = z.output<typeof maintenanceConfiguration>;
