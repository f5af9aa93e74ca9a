import type { FleetObject } from './kinds.ts';

/** What a valid object asks for that nothing acts on yet, as a sentence; undefined when everything of it works. */
export function notActedOnYet(object: FleetObject): string | undefined {
  switch (object.kind) {
    case 'FleetConfig': {
      const { forge } = object.spec;
      return forge && forge.kind !== 'none' ? 'forge is not acted on yet: approvals are plain branches' : undefined;
    }
    default:
      return undefined;
  }
}
