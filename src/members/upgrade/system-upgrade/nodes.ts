import { parseVersion, reaches } from '../../../api/kubernetes-version.ts';

/** The nodes of one Plan: those with the control plane, or the others. */
export const sides = ['servers', 'agents'] as const;
export type Side = (typeof sides)[number];

/** Plans of gitfleet have fixed names: each operation replaces those of the one before. */
export const planOf: Readonly<Record<Side, string>> = { servers: 'gitfleet-servers', agents: 'gitfleet-agents' };

export interface SeenNode {
  readonly name: string;
  readonly side: Side;
  readonly kubelet: string | undefined;
  readonly region: string | undefined;
  /** By Plan: the hash of what it finished there, or `disabled`. */
  readonly marks: Readonly<Record<string, string>>;
}

export interface SeenJob {
  readonly name: string;
  readonly plan: string;
  readonly state: 'active' | 'failed' | 'complete';
}

/** What runs in a member, and what is being done there. */
export interface SeenWork {
  readonly nodes: readonly SeenNode[];
  readonly jobs: readonly SeenJob[];
}

/** A node that opted out of a Plan of gitfleet stays as it is: it counts neither for versions nor for progress. */
export const isOptedOut = ({ side, marks }: SeenNode): boolean => marks[planOf[side]] === 'disabled';

/** Nodes that the Plan of a side selects. */
export const nodesOf = ({ nodes }: Pick<SeenWork, 'nodes'>, side: Side): readonly SeenNode[] =>
  nodes.filter((node) => node.side === side && !isOptedOut(node));

/** In the status of Plans, and in tags of images, `-` stands for `+`. */
export const munged = (version: string): string => version.replaceAll('+', '-');

export function isAt(text: string | undefined, wanted: string): boolean {
  const [version, to] = [parseVersion(munged(text ?? '')), parseVersion(munged(wanted))];
  return version !== undefined && to !== undefined && reaches(version, to);
}
