import type { Condition } from '../../api/meta.ts';

/** What is approved: `stage canary of run web-1`. */
export type Subject = string;

/** The message of a request file before it is merged. */
export const requestMessage = (subject: Subject): string =>
  `merging this file approves ${subject}; write status "False" to reject it`;

/** The approver's message; undefined where there is none, or still that of the request. */
export const approverMessage = (message: string | undefined, subject: Subject): string | undefined =>
  message && message !== requestMessage(subject) ? message : undefined;

/** The message of an answer: the approver's own, else that the subject was approved or rejected. */
export const answerMessage = ({ status, message }: Pick<Condition, 'status' | 'message'>, subject: Subject): string =>
  approverMessage(message, subject) ?? `${subject} was ${status === 'True' ? 'approved' : 'rejected'}`;
