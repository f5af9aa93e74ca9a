import type { UnreachableMember } from '../repo/record/daemon-memory.ts';

/** Why nothing new is known of a member, after its name. */
export const unreachableText = ({ cause, lastContact }: UnreachableMember): string =>
  `does not respond${lastContact === undefined ? '' : ` since ${lastContact}`}: ${cause}`;
