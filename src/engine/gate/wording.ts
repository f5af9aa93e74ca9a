import type { Condition } from '../../api/meta.ts';

/** What is approved: `stage canary of run web-1`. */
export type Subject = string;

/** What the file that asks says of itself, as long as nobody has merged it. */
export const question = (subject: Subject): string =>
  `merging this file approves ${subject}; write status "False" to refuse it`;

/** What the approver wrote; undefined for nothing, or the question as it stood. */
export const ownWords = (message: string | undefined, subject: Subject): string | undefined =>
  message && message !== question(subject) ? message : undefined;

/** What an answer says: the approver's own words, else that the question is answered. */
export const answerMessage = ({ status, message }: Pick<Condition, 'status' | 'message'>, subject: Subject): string =>
  ownWords(message, subject) ?? `${subject} was ${status === 'True' ? 'approved' : 'refused'}`;
