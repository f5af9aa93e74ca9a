import type { Problem, ProblemCode } from '../../api/problem.ts';
import type { Fleet } from '../../engine/input.ts';
import { problemOf } from '../../engine/problem-of.ts';

/** A warning about a field of a valid object, at the position of the object. `path` is dotted, inside the object. */
export const fieldWarning = (
  fleet: Pick<Fleet, 'sources'>,
  of: { readonly kind: string; readonly name: string; readonly namespace?: string | undefined },
  finding: {
    readonly code: ProblemCode;
    readonly path: string;
    readonly why: string;
    readonly fix?: string | undefined;
  },
): Problem =>
  problemOf(fleet, of, {
    severity: 'warning',
    code: finding.code,
    path: finding.path,
    message: finding.why,
    ...(finding.fix === undefined ? {} : { fix: finding.fix }),
  });
