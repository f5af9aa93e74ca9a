import { parseDocument } from 'yaml';
import { reasonAnnotation } from '../../../engine/gate/review.ts';
import { CliError } from '../../terminal/exit.ts';
import type { RequestBranch } from './request-branch.ts';

/** The approval file as a rejection (docs/status-branch.md). Error: CliError for requests that nobody can reject. */
export function rejectedFile({ name, text }: Pick<RequestBranch, 'name' | 'text'>, reason: string): string {
  const document = parseDocument(text);
  const kind = document.get('kind');
  switch (kind) {
    case 'ClusterApprovalRequest':
    case 'ApprovalRequest':
      document.setIn(
        ['status', 'conditions'],
        document.createNode([{ type: 'Approved', status: 'False', reason: 'Rejected', message: reason }]),
      );
      break;
    case 'Gate':
      document.setIn(['spec', 'state'], 'Rejected');
      document.setIn(['metadata', 'annotations', reasonAnnotation], reason);
      break;
    case 'RemovalApproval':
      throw new CliError(
        `${name} is about a removal, which waits until it is approved: revert the commit that removes it`,
      );
    default:
      throw new CliError(
        `${name} proposes a run, which does not start until it is merged: delete the branch or leave it`,
      );
  }
  return document.toString({ lineWidth: 0 });
}
