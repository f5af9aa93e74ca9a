import { listAt, textAt } from './read-fields.ts';
import { type Requirements, requirementsOf, type WrittenRequirement } from './requirements.ts';

/** The expressions of one term of a node selector. */
export const requirementsOfTerm = (term: unknown): Requirements =>
  requirementsOf(
    listAt(term, 'matchExpressions').map(
      (item): WrittenRequirement => ({
        key: textAt(item, 'key') ?? '',
        operator: textAt(item, 'operator') ?? '',
        values: listAt(item, 'values').map(String),
      }),
    ),
  );
