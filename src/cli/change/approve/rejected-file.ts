import { parseDocument } from 'yaml';
import { answeredBy } from '../../../api/kinds.ts';
import { reasonAnnotation } from '../../../engine/gate/review.ts';
import { assertNever } from '../../../engine/kernel/assert.ts';
import { CliError, exitCodes } from '../../terminal/exit.ts';
import type { RequestBranch } from './request-branch.ts';

/** The approval file as a rejection (docs/status-branch.md). Error: CliError for requests that cannot be rejected. */
export function rejectedFile({ name, requested }: Pick<RequestBranch, 'name' | 'requested'>, reason: string): string {
  if (requested === undefined)
    throw new CliError(
      `the status branch records no request ${name}, so there is nothing to reject`,
      exitCodes.refused,
    );
  const document = parseDocument(requested);
  const why = document.createNode(reason);
  // Plain, kubectl would read some texts as something else, and the file would not count.
  why.type = 'QUOTE_DOUBLE';
  const answer = answeredBy(String(document.get('kind')));
  switch (answer) {
    case 'condition':
      document.setIn(
        ['status', 'conditions'],
        document.createNode([{ type: 'Approved', status: 'False', reason: 'Rejected', message: why }]),
      );
      break;
    case 'state':
      document.setIn(['spec', 'state'], 'Rejected');
      document.setIn(['metadata', 'annotations', reasonAnnotation], why);
      break;
    case 'presence':
      throw new CliError(
        `${name} is about a removal, which waits until it is approved: revert the commit that removes it`,
      );
    case undefined:
      throw new CliError(
        `${name} proposes a run, which does not start until it is merged: delete the branch or leave it`,
      );
    default:
      assertNever(answer);
  }
  return document.toString({ lineWidth: 0 });
}
