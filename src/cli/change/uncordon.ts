import { isCordon } from '../../api/cordon-taint.ts';
import { cordonEdit, memberNamed } from './cordon.ts';
import { withoutDrain } from './drain.ts';
import { withDesired } from './open-desired.ts';
import { type ChangeOptions, reportChange } from './report-change.ts';

/** Removes the taint of a drain and its remaining files. Placements come back if the scheduler picks the cluster. */
export async function uncordon(cluster: string, options: ChangeOptions & { readonly direct?: boolean }): Promise<void> {
  await withDesired(options, async (desired) => {
    const member = memberNamed(desired, cluster);
    const edits = new Map<string, string | undefined>();
    if (member.spec.taints?.some(isCordon)) edits.set(...(await cordonEdit(desired, member, false)));
    for (const [file, text] of await withoutDrain(desired, cluster)) edits.set(file, text);
    await reportChange(
      desired,
      {
        edits,
        message: `Uncordon ${cluster}`,
        branch: options.direct ? undefined : `gitfleet/uncordon/${cluster}`,
      },
      {
        options,
        summary: {
          done: `${cluster} is to accept placements again`,
          already: `${cluster} is not cordoned`,
          notes: [],
        },
      },
    );
  });
}
