import type { Document } from 'yaml';
import { cordonTaint, isCordon } from '../../api/cordon-taint.ts';
import type { MemberCluster, Taint } from '../../api/member-cluster.ts';
import { sourceOf } from '../../engine/problem-of.ts';
import { unknownName } from '../terminal/unknown-name.ts';
import { editObject } from './edit-yaml.ts';
import type { Desired } from './open-desired.ts';

/** Error: CliError with the nearest name. */
export function memberNamed({ fleet }: Desired, name: string): MemberCluster {
  const member = fleet.members.find(({ metadata }) => metadata.name === name);
  if (member) return member;
  throw unknownName({ what: 'cluster', name, known: fleet.members.map(({ metadata }) => metadata.name) });
}

/** The file of a member with the taint added or removed. */
export async function cordonEdit(
  desired: Desired,
  member: MemberCluster,
  cordoned: boolean,
): Promise<[file: string, text: string]> {
  const { name } = member.metadata;
  const file = sourceOf(desired.fleet, { kind: 'MemberCluster', name })?.file ?? '';
  const text = (await desired.text(file)) ?? '';
  return [file, editObject({ file, text }, { kind: 'MemberCluster', name }, (document) => taint(document, cordoned))];
}

function taint(document: Document, cordoned: boolean): void {
  const taints = ((document.toJS() as { spec?: { taints?: Taint[] } }).spec?.taints ?? []) as Taint[];
  if (cordoned) {
    if (taints.length > 0) document.addIn(['spec', 'taints'], document.createNode(cordonTaint));
    else document.setIn(['spec', 'taints'], document.createNode([cordonTaint]));
    return;
  }
  if (taints.every(isCordon)) {
    document.deleteIn(['spec', 'taints']);
    return;
  }
  for (let at = taints.length - 1; at >= 0; at--) if (isCordon(taints[at]!)) document.deleteIn(['spec', 'taints', at]);
}
