import type { Problem } from '../../api/problem.ts';
import { type Fleet, sourceKey } from '../../engine/input.ts';
import { describeRef } from '../../engine/selection/object-key.ts';

/** A warning about a field of an object that is valid by itself, at the place of the object. `path` is dotted, inside it. */
export const looseEnd = (
  { sources }: Pick<Fleet, 'sources'>,
  of: { readonly kind: string; readonly name: string; readonly namespace?: string | undefined },
  told: { readonly code: string; readonly path: string; readonly why: string; readonly fix?: string | undefined },
): Problem => ({
  severity: 'warning',
  code: told.code,
  ...sources?.get(sourceKey(of.kind, of)),
  path: told.path,
  message: `${describeRef(of)}: ${told.why}`,
  ...(told.fix === undefined ? {} : { fix: told.fix }),
});
