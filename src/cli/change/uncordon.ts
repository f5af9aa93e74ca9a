import { cordonTaint, isCordon } from '../../api/cordon-taint.ts';
import { titleOf } from '../../repo/title-of.ts';
import { runToAdd } from '../../report/run-to-add.ts';
import { shortageText } from '../../report/shortage.ts';
import { cordonEdit, memberNamed } from './cordon.ts';
import { withoutDrain } from './drain.ts';
import { type Desired, withDesired } from './open-desired.ts';
import { recordFor } from './record-for.ts';
import { type ChangeOptions, reportChange } from './report-change.ts';
import { shortagesAhead } from './shortages-ahead.ts';

interface UncordonOptions extends ChangeOptions {
  readonly statusBranch: string;
  readonly direct?: boolean;
}

/** Removes the taint of a drain and its remaining files. Placements come back if the scheduler picks the cluster. */
export async function uncordon(cluster: string, options: UncordonOptions): Promise<void> {
  await withDesired(options, async (desired) => {
    const member = memberNamed(desired, cluster);
    const edits = new Map<string, string | undefined>();
    const isCordoned = member.spec.taints?.some(isCordon) ?? false;
    if (isCordoned) edits.set(...(await cordonEdit(desired, member, false)));
    const notes = isCordoned ? await notesAhead(desired, cluster, options) : [];
    for (const [file, text] of await withoutDrain(desired, cluster)) edits.set(file, text);
    await reportChange(
      desired,
      {
        edits,
        message: `Uncordon ${cluster}`,
        branch: options.direct ? undefined : `gitfleet/uncordon/${cluster}`,
        ifProtected: 'leave --direct out',
      },
      {
        options,
        summary: {
          done: `${cluster} is to accept placements again`,
          already: `${cluster} is not cordoned`,
          notes,
        },
      },
    );
  });
}

/** What becomes of placements that lack clusters now, and which of them need an update run for it. */
async function notesAhead(desired: Desired, cluster: string, { statusBranch }: UncordonOptions): Promise<string[]> {
  const record = await recordFor(desired, statusBranch);
  if (record.commit === undefined) return [];
  const { present, notRolledOut } = shortagesAhead(desired, record, { kind: 'untaint', cluster, key: cordonTaint.key });
  const toAdd = runToAdd(notRolledOut);
  return [
    ...present.map(({ before, after }) =>
      after
        ? `${titleOf(after)} still will not have enough clusters: only ${shortageText(after)}`
        : `${titleOf(before)} will have enough clusters again: now it has ${before.found} of ${before.wanted}`,
    ),
    ...notRolledOut.map(({ placement, why }) => `${titleOf(placement)} needs a staged update run then: ${why}`),
    ...(toAdd === undefined ? [] : [toAdd]),
  ];
}
