import type { Problem } from '../../api/problem.ts';
import type { Fleet } from '../../engine/input.ts';
import type { Instant } from '../../engine/kernel/instant.ts';
import { isOpen, nextOpening, ownMaintenance } from '../../engine/upgrade/maintenance.ts';
import { fieldWarning } from './field-warning.ts';

/** Warnings about maintenance windows that do not open any more: members that they are for are never upgraded. */
export const idleWindows = (fleet: Fleet, now: Instant): Problem[] =>
  fleet.maintenanceConfigurations.flatMap((configuration) => {
    const maintenance = ownMaintenance(configuration);
    if (isOpen(maintenance, now) || nextOpening(maintenance, now) !== undefined) return [];
    const { kind, metadata } = configuration;
    const why = 'the window does not open within three years: no member that it is for is upgraded until then';
    const fix = 'check startDate, schedule and notAllowedDates';
    const finding = { code: 'idle-window', path: 'spec.maintenanceWindow', why, fix } as const;
    return [fieldWarning(fleet, { kind, name: metadata.name }, finding)];
  });
