import type { UpdateRun } from '../../../api/upgrade-run.ts';
import { howToMerge } from '../../../engine/gate/request.ts';
import { isDone } from '../../../engine/upgrade/tree.ts';
import { cutAfterWord } from '../../../report/cut-after-word.ts';
import { holdOfClusters } from '../../../report/hold-text.ts';
import { holdsOf } from '../../../report/holds-of.ts';
import { isHalted } from '../../../report/upgrades/halted.ts';
import { upgradeNow } from '../../../report/upgrades/now.ts';
import { whyNotValid } from '../../status/last-good.ts';
import type { Status } from '../../status/open-status.ts';
import { answeredText } from '../../status/refused-text.ts';

/**
 * What a cluster update run waits for, one line each: approvals, then what its holds say. Of one in which nothing starts, why: first
 * that its file is not valid, since no change of it counts before.
 */
export function waitsOfUpgrade(
  run: UpdateRun,
  { holds, notInEffect }: Pick<Status, 'holds' | 'notInEffect'>,
  file?: string,
): string[] {
  if (isHalted(run)) {
    const { kind, metadata } = run;
    const invalid = notInEffect.notValid.find((ref) => ref.kind === kind && ref.name === metadata.name);
    return [...(invalid ? [whyNotValid(invalid, notInEffect.errors)] : []), upgradeNow(run, file)];
  }
  if (run.status && isDone(run.status)) return [];
  const approvals = openApprovals(run).map(
    ({ name, since }) => `approval ${name} since ${since}: ${answeredText(name, notInEffect) ?? howToMerge({ name })}`,
  );
  return [...approvals, ...holdsOf({ kind: run.kind, name: run.metadata.name }, holds).map(holdOfClusters)];
}

/** The same in a table: what it waits for first, without how to merge it or what to do. */
export function firstWait(run: UpdateRun, waits: readonly string[]): string | undefined {
  const [first] = waits;
  if (isHalted(run)) return first && cutAfterWord(first, longestWhy);
  const [approval] = openApprovals(run);
  return approval ? `approval ${approval.name}` : first;
}

/** Characters of a table that say why nothing starts; the page of the run has all. */
const longestWhy = 80;

const openApprovals = ({ status }: UpdateRun) =>
  (status?.stages ?? []).flatMap((stage) =>
    [stage, ...stage.groups].flatMap(({ beforeGates, afterGates }) =>
      [...beforeGates, ...afterGates].flatMap(({ type, gateId: name, status: { state, startTime: since } }) =>
        type === 'Approval' && state === 'Pending' && name !== undefined ? [{ name, since }] : [],
      ),
    ),
  );
