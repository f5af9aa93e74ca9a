import { placementKey } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import type { Fleet } from '../../engine/input.ts';
import { placementOfRun } from '../../engine/update-run.ts';
import { fieldWarning } from './field-warning.ts';

/** Warnings about staged update runs of placements that roll out by themselves: such a run fails when it is initialized. */
export function runsWithoutEffect(fleet: Fleet): Problem[] {
  if (fleet.runs.length === 0) return [];
  const types = new Map(fleet.placements.map(({ metadata, spec }) => [placementKey(metadata), spec.strategy.type]));
  return fleet.runs.flatMap((run) => {
    const { kind, metadata, spec } = run;
    const type = types.get(placementKey(placementOfRun(run)));
    if (type === undefined || type === 'External') return [];
    return [
      fieldWarning(
        fleet,
        { kind, ...metadata },
        {
          code: 'no-use',
          path: 'spec.placementName',
          why: `the strategy of placement ${spec.placementName} is ${type}, so it rolls out by itself and this run fails`,
          fix: 'write strategy: {type: External} in the placement, or remove the run',
        },
      ),
    ];
  });
}
