import type { Actor, ActorInput } from './actor.ts';
import type { UpgradeAssignment } from './assignment.ts';

/** Hands an operation to the upgrade provider of its member. Without the target nothing more is requested, and nothing is aborted. */
export function upgradeActor(
  { upgrades }: Pick<ActorInput, 'upgrades'>,
  target: Actor<UpgradeAssignment>['target'],
): Actor<UpgradeAssignment> {
  return {
    target,
    assign: ({ operation, adopted }) => upgrades.assign({ operation, adopted }),
    undo: () => undefined,
    objects: () => [],
    objectChanged() {},
    serves() {},
    restart() {},
    observation: () => ({}),
    complete: () => true,
    idle: () => true,
    stop: () => void upgrades.assign(undefined),
  };
}
