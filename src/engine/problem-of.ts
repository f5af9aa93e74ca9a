import type { ObjectRef } from '../api/meta.ts';
import type { Problem } from '../api/problem.ts';
import { type Fleet, type Source, sourceKey } from './input.ts';
import { describeRef } from './selection/object-key.ts';

type Named = Pick<ObjectRef, 'kind' | 'name'> & { readonly namespace?: string | undefined };

/** A problem of an object of the fleet: at its place, and with its name in front of what is wrong. */
export const problemOf = (fleet: Pick<Fleet, 'sources'>, object: Named, problem: Problem): Problem => ({
  ...problem,
  ...sourceOf(fleet, object),
  message: `${nameInFront(object)}${problem.message}`,
});

/** How the message of a problem begins that is one of an object: `ClusterResourcePlacement web: `. */
export const nameInFront = (object: Named): string => `${describeRef(object)}: `;

/** File and position of an object of the fleet; undefined where no file of this commit has it, and in a fleet that was not loaded. */
export const sourceOf = ({ sources }: Pick<Fleet, 'sources'>, { kind, ...named }: Named): Source | undefined =>
  sources?.get(sourceKey(kind, named));
