import fc from 'fast-check';
import { environments, type Stage } from '../scenarios/staged-files.ts';

/** A stage of a staged update run. */
export const drawnStage: fc.Arbitrary<Stage> = fc.record({
  environment: fc.constantFrom(...environments),
  maxConcurrency: fc.constantFrom(1, 2, '50%', '100%'),
  asksBefore: fc.boolean(),
  asksAfter: fc.boolean(),
  waits: fc.boolean(),
});
