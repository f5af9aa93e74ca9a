import { type PassPorts, passEffects } from './pass-effects.ts';
import type { PassResult } from './pass-result.ts';
import { firstPassState, nextInPass, type PassEvent } from './pass-state.ts';

export interface Reconciler {
  pass(): Promise<PassResult>;
}

/** Reads, plans, records, then assigns: in that order, one pass at a time. */
export function reconciler(ports: PassPorts): Reconciler {
  const perform = passEffects(ports);
  let state = firstPassState;
  return {
    async pass() {
      let event: PassEvent = { kind: 'started' };
      const stepsMs: Record<string, number> = {};
      for (;;) {
        const step = nextInPass(state, event);
        state = step.state;
        for (const effect of step.effects) {
          if (effect.kind === 'finish') {
            ports.log.debug({ result: effect.result.kind, stepsMs }, 'timings of the reconciliation');
            return effect.result;
          }
          const began = ports.pace.now();
          event = (await perform(effect)) ?? event;
          stepsMs[effect.kind] = Math.round((stepsMs[effect.kind] ?? 0) + ports.pace.now() - began);
        }
      }
    },
  };
}
