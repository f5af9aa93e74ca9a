import { sourceOf } from '../problem-of.ts';
import type { RunContext } from './step.ts';

/**
 * What ends a run whatever its clusters come to. Stopping it finishes what is in flight first; a run whose file is gone is not
 * listed any more, and what its clusters were given stays.
 */
export function endInstruction({ run, input }: RunContext): string {
  const file = sourceOf(input, { kind: run.kind, ...run.metadata })?.file;
  return `remove run ${run.metadata.name}${file === undefined ? '' : ` (${file})`}, which ends it and leaves its clusters as they are`;
}
