import type { MemberCluster } from '../../api/member-cluster.ts';
import type { PlanInput } from '../../engine/input.ts';
import { unknownName } from '../terminal/unknown-name.ts';
import type { Change } from './changes.ts';
import { propertyMeant } from './property-names.ts';

/** These annotations override what the cluster reports; in memory a name may have any number of slashes. */
const annotationPrefix = 'property.gitfleet.dev/';

/**
 * The input with the changes made to its clusters; nothing is written. Errors: CliError for an unknown cluster or property,
 * with the nearest name.
 */
export function suppose(
  input: PlanInput,
  asked: readonly Change[],
): { readonly input: PlanInput; readonly changes: readonly Change[] } {
  const known = input.fleet.members.map(({ metadata }) => metadata.name);
  const changes = asked.map((change): Change => {
    if (!known.includes(change.cluster))
      throw unknownName({ what: 'cluster', name: change.cluster, known, flag: flags[change.kind] });
    return change.kind === 'property' ? { ...change, name: propertyMeant(change.name, input) } : change;
  });
  const members = input.fleet.members.flatMap((member) => {
    const mine = changes.filter(({ cluster }) => cluster === member.metadata.name);
    return mine.some(({ kind }) => kind === 'without') ? [] : [mine.reduce(changed, member)];
  });
  return { changes, input: { ...input, fleet: { ...input.fleet, members } } };
}

const flags: Readonly<Record<Change['kind'], string>> = {
  taint: '--taint',
  untaint: '--taint',
  without: '--without-cluster',
  property: '--property',
  label: '--label',
  unlabel: '--label',
};

function changed(member: MemberCluster, change: Change): MemberCluster {
  const { metadata, spec } = member;
  switch (change.kind) {
    case 'without':
      return member;
    case 'taint': {
      const { key, value } = change;
      const others = (spec.taints ?? []).filter((taint) => taint.key !== key);
      return {
        ...member,
        spec: { ...spec, taints: [...others, { key, ...(value ? { value } : {}), effect: 'NoSchedule' }] },
      };
    }
    case 'untaint':
      return { ...member, spec: { ...spec, taints: (spec.taints ?? []).filter(({ key }) => key !== change.key) } };
    case 'label':
      return { ...member, metadata: { ...metadata, labels: { ...metadata.labels, [change.key]: change.value } } };
    case 'unlabel': {
      const { [change.key]: _, ...labels } = metadata.labels ?? {};
      return { ...member, metadata: { ...metadata, labels } };
    }
    case 'property': {
      const key = annotationPrefix + change.name;
      // Last of all, so that no shorter spelling of the same property comes after it.
      const { [key]: _, ...annotations } = metadata.annotations ?? {};
      return { ...member, metadata: { ...metadata, annotations: { ...annotations, [key]: change.value } } };
    }
  }
}
