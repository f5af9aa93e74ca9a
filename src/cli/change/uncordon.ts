import { isCordon } from '../../api/cordon-taint.ts';
import { sourceOf } from '../../engine/problem-of.ts';
import { cordonEdit, memberNamed } from './cordon.ts';
import { drainPrefix } from './drain.ts';
import { removeObject } from './edit-yaml.ts';
import { type Desired, withDesired } from './open-desired.ts';
import { type ChangeOptions, reportChange } from './report-change.ts';

/** Takes the taint of a drain away, and the evictions that it left; what was evicted comes back if the scheduler picks it. */
export async function uncordon(cluster: string, options: ChangeOptions & { readonly direct?: boolean }): Promise<void> {
  await withDesired(options, async (desired) => {
    const member = memberNamed(desired, cluster);
    const edits = new Map<string, string | undefined>();
    if (member.spec.taints?.some(isCordon)) edits.set(...(await cordonEdit(desired, member, false)));
    for (const [file, text] of await withoutEvictions(desired, cluster)) edits.set(file, text);
    await reportChange(
      desired,
      {
        edits,
        message: `Uncordon ${cluster}`,
        branch: options.direct ? undefined : `gitfleet/uncordon/${cluster}`,
      },
      {
        options,
        said: {
          done: `${cluster} is to accept placements again`,
          already: `${cluster} is not cordoned`,
          notes: [],
        },
      },
    );
  });
}

async function withoutEvictions({ fleet, text }: Desired, cluster: string): Promise<Map<string, string | undefined>> {
  const edits = new Map<string, string | undefined>();
  for (const { kind, metadata, spec } of fleet.evictions) {
    if (spec.clusterName !== cluster || !metadata.name.startsWith(drainPrefix)) continue;
    const file = sourceOf(fleet, { kind, name: metadata.name })?.file ?? '';
    const before = edits.has(file) ? edits.get(file) : await text(file);
    edits.set(file, removeObject({ file, text: before ?? '' }, { kind, name: metadata.name }));
  }
  return edits;
}
