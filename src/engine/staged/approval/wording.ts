import type { Condition } from '../../../api/meta.ts';
import type { ApprovalRequest } from '../../../api/staged.ts';

type Asked = ApprovalRequest['spec'];

/** What the file that asks says of itself, as long as nobody has merged it. */
export const question = ({ targetStage, parentStageRollout }: Asked): string =>
  `merging this file approves stage ${targetStage} of run ${parentStageRollout}; write status "False" to refuse it`;

/** What a person wrote to an answer; undefined for nothing, or the question as it stood. */
export const ownWords = (message: string | undefined, asked: Asked): string | undefined =>
  message && message !== question(asked) ? message : undefined;

/** What an answer says: a person's own words, else that the question is answered. */
export const answerMessage = ({ status, message }: Pick<Condition, 'status' | 'message'>, asked: Asked): string =>
  ownWords(message, asked) ??
  `stage ${asked.targetStage} of run ${asked.parentStageRollout} was ${status === 'True' ? 'approved' : 'refused'}`;
