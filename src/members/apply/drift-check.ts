import type { Manifest } from '../../api/meta.ts';
import type { ApplyStrategy, PatchDetail } from '../../api/placement.ts';
import { digestAnnotation, placementLabel } from '../../engine/overrides/ownership.ts';
import { keyOfManifest } from '../../engine/selection/object-key.ts';
import { isSameManifest } from './attempt.ts';
import { localDifferences } from './compare.ts';
import { foreignOwner } from './takeover.ts';

/** How an object compares with its manifest, judged without a request. */
export type Verdict =
  | 'same'
  /** It differs locally, and a dry-run was already made for this state. */
  | 'asked'
  | 'differs';

export interface DriftCheck {
  verdict(strategy: ApplyStrategy, manifest: Manifest, live: Manifest | undefined): Verdict;
  /** A dry-run was made for this state; its remaining local differences need no other one. */
  asked(strategy: ApplyStrategy, manifest: Manifest, live: Manifest): void;
  /** Local differences that did not exist at the last dry-run. */
  news(strategy: ApplyStrategy, manifest: Manifest, live: Manifest): readonly PatchDetail[];
  /** The member is another cluster now: drops everything known about objects. */
  forget(): void;
}

/**
 * Servers normalize values (`0.5` to `500m`) and add items to lists. To tell such differences from drift, the server is asked
 * once, and the remaining differences are remembered.
 */
export function driftCheck(): DriftCheck {
  const known = new Map<string, Look>();
  return {
    verdict(strategy, manifest, live) {
      if (live === undefined || live.metadata.deletionTimestamp || !isSameManifest(manifest, live)) return 'differs';
      if (live.metadata.labels?.[placementLabel] !== manifest.metadata.labels?.[placementLabel]) return 'differs';
      // An object with foreign owners is correct only if the strategy allows co-ownership.
      if (!strategy.allowCoOwnership && strategy.type !== 'ReportDiff' && foreignOwner(live)) return 'differs';
      const seen = look(strategy, manifest, live);
      if (seen.details.size === 0) return 'same';
      return isSameLook(known.get(keyOfManifest(manifest)), seen) ? 'asked' : 'differs';
    },
    asked(strategy, manifest, live) {
      const seen = look(strategy, manifest, live);
      if (seen.details.size === 0) known.delete(keyOfManifest(manifest));
      else known.set(keyOfManifest(manifest), seen);
    },
    news(strategy, manifest, live) {
      const seen = look(strategy, manifest, live);
      const before = known.get(keyOfManifest(manifest));
      if (before?.digest !== seen.digest) return [...seen.details.values()];
      return [...seen.details].flatMap(([text, detail]) => (before?.details.has(text) ? [] : [detail]));
    },
    forget: () => known.clear(),
  };
}

interface Look {
  readonly digest: string | undefined;
  /** By their text. */
  readonly details: ReadonlyMap<string, PatchDetail>;
}

function look({ comparisonOption }: ApplyStrategy, manifest: Manifest, live: Manifest): Look {
  const details = localDifferences(manifest, live, comparisonOption === 'FullComparison' ? 'full' : 'partial');
  return {
    digest: manifest.metadata.annotations?.[digestAnnotation],
    details: new Map(details.map((detail) => [JSON.stringify(detail), detail])),
  };
}

const isSameLook = (one: Look | undefined, other: Look): boolean =>
  one !== undefined &&
  one.digest === other.digest &&
  one.details.size === other.details.size &&
  [...other.details.keys()].every((text) => one.details.has(text));
