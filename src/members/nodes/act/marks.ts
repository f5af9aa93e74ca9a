import type { Manifest } from '../../../api/meta.ts';
import { type Taint, taintsAt } from '../../../engine/node-pools/taints.ts';

/** On nodes that are to go: nothing new is scheduled there. */
export const disruptedTaint: Taint = { key: 'gitfleet.dev/disrupted', value: '', effect: 'NoSchedule' };

/** The command by which a node was tainted, written together with the taint: it shows that the command began. */
export const commandAnnotation = 'gitfleet.dev/disruption-command';

export const hasOurTaint = (node: Manifest): boolean =>
  taintsAt(node, 'spec', 'taints').some(({ key }) => key === disruptedTaint.key);

export const isMarkedFor = (node: Manifest, command: string): boolean =>
  hasOurTaint(node) && node.metadata.annotations?.[commandAnnotation] === command;
