import type { Problem } from '../../api/problem.ts';

/** The followed branch no longer contains the commit that was accepted before. A user must decide which one counts. */
export function rewound(input: {
  readonly branch: string;
  readonly tip: string;
  readonly accepted: string;
  /** This daemon has seen it on the branch. Otherwise only the record says so. */
  readonly isKnown: boolean;
}): Problem {
  const [tip, accepted] = [input.tip.slice(0, 12), input.accepted.slice(0, 12)];
  return {
    severity: 'error',
    code: 'rewound',
    message: `${input.branch} was rewound: ${tip} does not descend from ${accepted}, which was accepted before${input.isKnown ? '. The fleet stays at the accepted commit' : ' according to the status branch. Every cluster keeps what it has'}`,
    fix: `push a commit that descends from ${accepted}, or start once with --accept-rewind ${input.tip}`,
  };
}
