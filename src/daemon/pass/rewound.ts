import type { Problem } from '../../api/problem.ts';

/** Main no longer contains the commit that the fleet was told to follow. A person decides which of the two is meant. */
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
    message: `${input.branch} was rewound: ${tip} does not descend from ${accepted}, which ${input.isKnown ? 'was accepted before. The fleet stays at the accepted commit' : 'the status branch says was accepted before. Every cluster keeps what it has'}`,
    fix: `push a commit that descends from ${accepted}, or start once with --accept-rewind ${input.tip}`,
  };
}
