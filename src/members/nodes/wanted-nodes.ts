import type { CapacityType } from '../../api/nodes/instance-catalog.ts';
import type { NodeTarget } from '../../engine/plan-document.ts';

/** What is to become of the nodes of a member: complete. A node that is not listed and has our taint loses it. */
export interface WantedNodes {
  readonly nodes: NodeTarget['nodes'];
  readonly launches: readonly WantedLaunch[];
}

export type WantedNode = WantedNodes['nodes'][number];

/** A node to launch, as a provider needs it. */
export interface WantedLaunch {
  readonly name: string;
  readonly instanceType: string;
  /** Types that may stand in for it, the cheapest first, and the labels of their nodes. */
  readonly alternatives?: readonly {
    readonly instanceType: string;
    readonly labels: Readonly<Record<string, string>>;
  }[];
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  /** Quantities by resource. */
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
}
