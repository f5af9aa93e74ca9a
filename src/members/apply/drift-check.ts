import type { Manifest } from '../../api/meta.ts';
import type { ApplyStrategy, PatchDetail } from '../../api/placement.ts';
import { digestAnnotation, placementLabel } from '../../engine/overrides/ownership.ts';
import { keyOfManifest } from '../../engine/selection/object-key.ts';
import { isSameManifest } from './attempt.ts';
import { localDifferences } from './compare.ts';
import { foreignOwner } from './takeover.ts';

/** How an object compares with its manifest, as far as that can be told without asking the server. */
export type Verdict =
  | 'same'
  /** Something looks different, and the server has been asked about this very state. */
  | 'asked'
  | 'differs';

export interface DriftCheck {
  verdict(strategy: ApplyStrategy, manifest: Manifest, live: Manifest | undefined): Verdict;
  /** The server has been asked about this very state; what still looks different is no reason to ask again. */
  asked(strategy: ApplyStrategy, manifest: Manifest, live: Manifest): void;
  /** What looks different and did not when the server was asked last. */
  news(strategy: ApplyStrategy, manifest: Manifest, live: Manifest): readonly PatchDetail[];
  /** It is another cluster now: nothing known about objects holds. */
  forget(): void;
}

/**
 * Servers write some things differently (`0.5` as `500m`) and add items to lists. Such differences are told from real ones by
 * asking once and remembering what was left over.
 */
export function driftCheck(): DriftCheck {
  const known = new Map<string, Look>();
  return {
    verdict(strategy, manifest, live) {
      if (live === undefined || live.metadata.deletionTimestamp || !isSameManifest(manifest, live)) return 'differs';
      if (live.metadata.labels?.[placementLabel] !== manifest.metadata.labels?.[placementLabel]) return 'differs';
      // One that others came to own is as it should be only where they may share it, whatever is in it.
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
