import type { Silence } from '../repo/record/daemon-memory.ts';

/** Why nothing new is known of a member, beside its name. */
export const silenceText = ({ cause, lastContact }: Silence): string =>
  `does not respond${lastContact === undefined ? '' : ` since ${lastContact}`}: ${cause}`;
