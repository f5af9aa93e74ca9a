import type { ObjectState } from './object-state.ts';

/** `/spec/replicas: 5, should be 2`, one line for each difference that is told of an object. */
export const differenceLines = ({ drifted, diffed }: Pick<ObjectState, 'drifted' | 'diffed'>): string[] =>
  [...(drifted?.observedDrifts ?? []), ...(diffed?.observedDiffs ?? [])].map(
    ({ path, valueInMember, valueInHub }) =>
      `${path}: ${valueInMember ?? '<none>'}, should be ${valueInHub ?? '<none>'}`,
  );
