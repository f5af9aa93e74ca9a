import type { ApprovalRequest } from '../../../api/staged.ts';
import { stageFacts } from '../../../daemon/requests/stage-facts.ts';
import type { Fleet } from '../../../engine/input.ts';
import { formatInstant } from '../../../engine/kernel/instant.ts';
import { planFleet } from '../../../engine/plan.ts';
import { alwaysAsk } from '../../../git/ref-poll.ts';
import { gitSource } from '../../../git/source.ts';
import { askedGate, type StageFacts } from '../../../report/approval/approval-page.ts';
import { recordedApproval } from '../../../report/recorded-approval.ts';
import type { Status, StatusReader } from '../../status/open-status.ts';
import { unobservedInput } from '../../unobserved-input.ts';

/** What approval of a stage brings, as its pull request says it; undefined where its run or the fleet is not known here. */
export async function approvalFacts(
  request: ApprovalRequest,
  { record, now, branch = 'main' }: Status,
  { fleet, reader }: { readonly fleet: Fleet | undefined; readonly reader: StatusReader },
): Promise<StageFacts | undefined> {
  const gate = askedGate(recordedApproval(request), record);
  if (gate === undefined || fleet === undefined || record.commit === undefined) return undefined;
  const { contents } = planFleet(unobservedInput({ now: formatInstant(now), commit: record.commit, fleet, record }));
  const { branches, folder } = reader;
  const history = gitSource(branches, { branch, folder }, alwaysAsk(branches));
  return stageFacts(gate, { record, contents, config: fleet.config, history });
}
