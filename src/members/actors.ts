import type { ObjectRef } from '../api/meta.ts';
import { assertNever } from '../engine/kernel/assert.ts';
import { objectKey } from '../engine/selection/object-key.ts';
import type { Actor, ActorInput, ActorObservation } from './actor.ts';
import type { ServedKind } from './api-server/served-kind.ts';
import { type Assignment, appliedKeys, targetKey } from './assignment.ts';
import { nodeActor } from './nodes/node-actor.ts';
import { placementActor } from './placement-actor.ts';
import { preflightActor } from './upgrade/preflight-actor.ts';
import { upgradeActor } from './upgrade-actor.ts';
import type { Change } from './watch/store.ts';
import { kindKey } from './watch/watches.ts';

/** The actors of one member, one for each target. */
export interface Actors {
  /**
   * Replaces all assignments, and opens and stops actors accordingly. If a target is omitted and `isForgotten`, what was created
   * for it is removed. Returns false when no assignment changed.
   */
  assign(assignments: readonly Assignment[], isForgotten: (target: Actor['target']) => boolean): boolean;
  /** Kinds to watch, as `kindKey` names them. */
  kinds(): ReadonlySet<string>;
  /** The objects of one kind and version that matter to any of them. */
  objectsOf(kind: ServedKind): readonly ObjectRef[];
  objectChanged(change: Change): void;
  serves(apiVersions: ReadonlySet<string>): void;
  restart(certain: boolean): void;
  observations(): readonly ActorObservation[];
  complete(): boolean;
  idle(): boolean;
  stop(): void;
}

/** Opens an actor by the kind of its target. */
function openActor(input: ActorInput, assignment: Assignment): Actor {
  switch (assignment.kind) {
    case 'placement':
      return placementActor(input, { kind: assignment.kind, key: assignment.key });
    case 'upgrade':
      return upgradeActor(input, { kind: assignment.kind, key: assignment.key });
    case 'preflight':
      return preflightActor(input, { kind: assignment.kind, key: assignment.key });
    case 'nodes':
      return nodeActor(input, { kind: assignment.kind, key: assignment.key });
    default:
      return assertNever(assignment);
  }
}

export function memberActors(input: () => ActorInput): Actors {
  const actors = new Map<string, Actor>();
  const all = (): readonly Actor[] => [...actors.values()];
  const objects = (): readonly ObjectRef[] => all().flatMap((actor) => [...actor.objects()]);

  function undone(wanted: readonly Assignment[], isForgotten: (target: Actor['target']) => boolean): Assignment[] {
    const keys = new Set(wanted.map(targetKey));
    const left = [...actors].filter(([key, { target }]) => !keys.has(key) && isForgotten(target));
    if (left.length === 0) return [];
    const kept = new Set(wanted.flatMap(appliedKeys));
    return left.flatMap(([, actor]) => actor.undo(kept) ?? []);
  }

  function actorFor(assignment: Assignment): Actor {
    const key = targetKey(assignment);
    const actor = actors.get(key) ?? openActor(input(), assignment);
    actors.set(key, actor);
    return actor;
  }

  return {
    assign(wanted, isForgotten) {
      const assignments = [...wanted, ...undone(wanted, isForgotten)];
      const keys = new Set(assignments.map(targetKey));
      for (const [key, actor] of actors) {
        if (keys.has(key)) continue;
        actor.stop();
        actors.delete(key);
      }
      let news = false;
      for (const assignment of assignments) news = actorFor(assignment).assign(assignment) || news;
      return news;
    },
    kinds: () => new Set(objects().map(kindKey)),
    objectsOf(kind) {
      const named = objects().filter((ref) => kindKey(ref) === kindKey(kind));
      return [...new Map(named.map((ref) => [objectKey(ref), ref])).values()];
    },
    objectChanged: (change) => all().forEach((actor) => void actor.objectChanged(change)),
    serves: (apiVersions) => all().forEach((actor) => void actor.serves(apiVersions)),
    restart: (certain) => all().forEach((actor) => void actor.restart(certain)),
    observations: () => all().map((actor) => actor.observation()),
    complete: () => all().every((actor) => actor.complete()),
    idle: () => all().every((actor) => actor.idle()),
    stop: () => all().forEach((actor) => void actor.stop()),
  };
}
