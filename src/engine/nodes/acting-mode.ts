import { type DisruptionMode, disruptionModes, nodeDisruptionAnnotation } from '../../api/nodes/disruption-modes.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import type { Problem } from '../../api/problem.ts';
import type { UpgradeProviderName } from '../../api/upgrade-providers.ts';
import { nameInFront, sourceOf } from '../problem-of.ts';
import { providerAnnotation, upgradeProviderNamed } from '../upgrade/member-annotations.ts';
import type { World } from '../world.ts';

interface Annotated {
  readonly name: string;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/**
 * What gitfleet does about the nodes of a member. Where its machines belong to a provider that gitfleet cannot ask to remove them, and
 * no NodeClaims stand for them, execute reads as plan: the machine of a deleted node would keep running. `recorded`: the mode before,
 * which stands as long as it is not known whether there are NodeClaims.
 */
export function actingMode(
  member: Annotated,
  observation: ClusterObservation | undefined,
  recorded?: DisruptionMode,
): DisruptionMode {
  const written = disruptionModes.find((mode) => mode === member.annotations?.[nodeDisruptionAnnotation]) ?? 'delegate';
  if (written !== 'execute' || machinesOf(member, observation) === undefined) return written;
  return !areNodesKnown(observation) && recorded === 'execute' ? 'execute' : 'plan';
}

/** Whether its nodes, and all that tells what they are, were observed. */
export const areNodesKnown = (observation: ClusterObservation | undefined): observation is ClusterObservation =>
  observation?.reachable === true &&
  observation.complete &&
  observation.nodes !== undefined &&
  observation.pods !== undefined;

/** Whether gitfleet can have a provider launch and remove machines. */
const keepsMachines: Readonly<Record<UpgradeProviderName, boolean>> = {
  'cluster-api': true,
  aks: false,
  'system-upgrade-controller': false,
  simulated: true,
};

/** Whether nodes of a member can be launched: its provider may still not be configured, or not respond. */
export function launchesNodes(annotations: Annotated['annotations']): boolean {
  const known = upgradeProviderNamed(annotations?.[providerAnnotation]);
  return known !== undefined && keepsMachines[known];
}

/** The provider that keeps the machines of a member, if nothing can remove them. */
function machinesOf({ annotations }: Annotated, observation: ClusterObservation | undefined): string | undefined {
  const provider = annotations?.[providerAnnotation];
  const known = upgradeProviderNamed(provider);
  const hasClaims = observation?.extras.some(({ kind }) => kind === 'NodeClaim') ?? false;
  return (known && keepsMachines[known]) || hasClaims ? undefined : provider;
}

export function actingProblem(member: Annotated, world: World): Problem[] {
  const observation = world.nodesOf(member.name);
  const provider = machinesOf(member, observation);
  const isRefused = member.annotations?.[nodeDisruptionAnnotation] === 'execute' && provider !== undefined;
  if (!isRefused || !areNodesKnown(observation)) return [];
  const object = { kind: 'MemberCluster', name: member.name };
  return [
    {
      severity: 'error',
      code: 'invalid-value',
      ...sourceOf(world.input.fleet, object),
      path: `metadata.annotations["${nodeDisruptionAnnotation}"]`,
      value: 'execute',
      message: `${nameInFront(object)}gitfleet cannot launch or remove machines of the provider ${provider} yet, and the cluster has no NodeClaims: disruption of its nodes is only planned`,
      fix: 'write plan, or delegate where Karpenter runs',
    },
  ];
}
