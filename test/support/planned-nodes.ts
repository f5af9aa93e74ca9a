import type { NodeCommand } from '../../src/api/nodes/node-plan.ts';
import { claim, type node, nodeMember, nodePool, observedNodes, smallMarket } from './node-world.ts';
import { plan } from './plan-command.ts';

export const nodeRepo = (mode = 'plan', files: Readonly<Record<string, string>> = smallMarket) => ({
  'members/eu-1.yaml': nodeMember('eu-1', mode),
  ...files,
});
export const unlimited = { budgets: [{ nodes: '100%' }] };
const now = '2026-11-20T10:00:00Z';

export interface World {
  readonly nodes: readonly ReturnType<typeof node>[];
  readonly pods?: readonly object[];
  readonly pool?: ReturnType<typeof nodePool>;
  readonly claims?: readonly object[];
  readonly extras?: readonly object[];
  readonly launches?: readonly object[];
  readonly launchesNotRead?: string;
  readonly podEvents?: Readonly<Record<string, string>>;
}

const observe = ({
  nodes,
  pods = [],
  pool = nodePool('default', { disruption: unlimited }),
  claims,
  extras = [],
  ...more
}: World) =>
  observedNodes('eu-1', {
    nodes,
    pods,
    extras: [pool, ...(claims ?? nodes.map((of) => claim(of))), ...extras],
    ...more,
  });

/** The plan of eu-1 with these nodes, in mode `plan` at 10:00 unless told otherwise. */
export const planned = async (
  world: World,
  of: { mode?: string; at?: string; recorded?: Readonly<Record<string, string>>; files?: Record<string, string> } = {},
) => {
  const result = await plan({
    repo: nodeRepo(of.mode, of.files),
    observed: [observe(world)],
    now: of.at ?? now,
    ...(of.recorded ? { recorded: of.recorded } : {}),
  });
  return { ...result, nodes: result.plan.nodes[0]! };
};

/** `Drift Proposed n2 -> D8` */
export const line = ({ method, phase, nodes, replacements }: NodeCommand): string =>
  `${method} ${phase} ${nodes.map(({ name }) => name).join(',')}${replacements.length === 0 ? '' : ` -> ${replacements.map(({ instanceType }) => instanceType).join(',')}`}`;
