import type { Manifest } from '../api/meta.ts';
import { placementLabel } from './apply.ts';
import { refOfManifest } from './assignment.ts';
import type { MemberClient } from './client.ts';
import type { Clock } from './clock.ts';
import { objectKey, type ServedKind } from './discovery.ts';
import { type Reflector, reflect } from './reflector.ts';

/** What one member holds of ours, over all kinds that are watched. */
export interface Watches {
  /** Begins to watch a kind if it is not watched; resolves when its objects are known. */
  follow(kind: ServedKind): Promise<void>;
  /** Undefined when there is none of ours; an unlabelled one of the same name may still exist. */
  object(key: string): Manifest | undefined;
  /** What a request of ours returned, so that nothing is decided on an older state while the watch catches up. */
  put(kind: ServedKind, object: Manifest): void;
  all(): Manifest[];
  /** False while a watch is broken: then absence means nothing. */
  complete(): boolean;
  stop(): void;
}

export function watches(input: {
  readonly client: MemberClient;
  readonly clock: Clock;
  readonly changed: (object: Manifest, how: 'set' | 'deleted', manager: string | undefined) => void;
  readonly failed: (error: unknown) => void;
}): Watches {
  const reflectors = new Map<string, Reflector>();
  return {
    async follow(kind) {
      const key = `${kind.apiVersion}/${kind.kind}`;
      let reflector = reflectors.get(key);
      if (!reflector) {
        reflector = reflect({ ...input, kind, labelSelector: placementLabel });
        reflectors.set(key, reflector);
      }
      await reflector.ready;
    },
    object(key) {
      for (const reflector of reflectors.values()) {
        const found = reflector.objects.get(key);
        if (found) return found;
      }
      return undefined;
    },
    put(kind, object) {
      const reflector = reflectors.get(`${kind.apiVersion}/${kind.kind}`);
      reflector?.put(objectKey(refOfManifest(object)), object);
    },
    all: () => [...reflectors.values()].flatMap((reflector) => [...reflector.objects.values()]),
    complete: () => [...reflectors.values()].every((reflector) => reflector.synced()),
    stop() {
      for (const reflector of reflectors.values()) reflector.stop();
    },
  };
}
