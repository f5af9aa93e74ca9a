import { sourceOf } from '../problem-of.ts';
import type { RunContext } from './step.ts';

/**
 * How to end a run whatever the state of its clusters. Stopping it waits for clusters in flight. Removing its file ends it at
 * once, and its clusters keep what they have.
 */
export function endInstruction({ run, input }: RunContext): string {
  const file = sourceOf(input, { kind: run.kind, ...run.metadata })?.file;
  return `remove run ${run.metadata.name}${file === undefined ? '' : ` (${file})`}, which ends it and leaves its clusters as they are`;
}
