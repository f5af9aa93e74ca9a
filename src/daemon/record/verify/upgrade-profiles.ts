import type { AutoUpgradeProfile } from '../../../api/auto-upgrade-profile.ts';
import type { Problem } from '../../../api/problem.ts';
import type { Fleet } from '../../../engine/input.ts';
import { sameValue } from '../../../engine/kernel/same-value.ts';
import { absenceMeansNothing } from '../../../engine/recovery/last-good.ts';
import { isListed, isReachedBy, parseTarget } from '../../../engine/upgrade/channel-target.ts';
import type { FollowedHistory } from './followed-history.ts';
import { mismatch } from './mismatch.ts';
import type { PartVerifier } from './verified.ts';

/** A part of a recorded profile, and the profile without it. */
interface Claim {
  readonly what: string;
  readonly holdsIn: (fleet: Fleet) => boolean;
  readonly without: (profile: AutoUpgradeProfile) => AutoUpgradeProfile | undefined;
}

/**
 * Verifies what AutoUpgradeProfiles remember. What they saw and propose was in a VersionCatalog of the followed branch, now or in its
 * last commits. One whose file cannot be read has a version of that file that the branch had.
 */
export function profileVerifier(): PartVerifier {
  const known = new WeakMap<AutoUpgradeProfile, AutoUpgradeProfile | undefined>();
  return {
    async verify(record, history) {
      const tip = (await history.fleetAt(history.tip))!;
      const profiles = new Map(record.profiles);
      const problems: Problem[] = [];
      for (const [name, recorded] of record.profiles) {
        if (!known.has(recorded)) {
          const unproven = await unprovenIn(claimsOf(recorded, tip), { history, tip });
          known.set(
            recorded,
            unproven.reduce<AutoUpgradeProfile | undefined>((of, { without }) => of && without(of), recorded),
          );
          for (const { what } of unproven) problems.push(mismatch(`profiles/${name}.yaml`, what));
        }
        const profile = known.get(recorded);
        if (profile) profiles.set(name, profile);
        else profiles.delete(name);
      }
      return { record: { ...record, profiles }, problems };
    },
    published({ profiles }) {
      for (const profile of profiles.values()) known.set(profile, profile);
    },
  };
}

function claimsOf(profile: AutoUpgradeProfile, tip: Fleet): readonly Claim[] {
  const { kind, metadata, status = {} } = profile;
  const isWritten = writtenIn(tip, profile) !== undefined;
  if (!isWritten && !absenceMeansNothing(tip, { kind, name: metadata.name })) return [];
  // What it saw only keeps back what is not newer.
  const isIn = { seen: isReachedBy, proposed: isListed };
  const targets = (['seen', 'proposed'] as const).flatMap((field): Claim[] => {
    const text = status[field];
    if (text === undefined) return [];
    const target = parseTarget(profile, text);
    return [
      {
        what: `no VersionCatalog of the followed branch had what it has ${field}: gitfleet does not use it`,
        holdsIn: ({ versionCatalogs }) => target !== undefined && isIn[field](target, versionCatalogs),
        without(of) {
          const { [field]: _, ...rest } = of.status ?? {};
          return { ...of, status: rest };
        },
      },
    ];
  });
  if (isWritten) return targets;
  const file: Claim = {
    what: 'the followed branch never had this version of the profile: gitfleet does not use it',
    holdsIn: (fleet) => sameValue(writtenIn(fleet, profile)?.spec, profile.spec),
    without: () => undefined,
  };
  return [file, ...targets];
}

const writtenIn = ({ upgradeProfiles }: Fleet, { metadata }: AutoUpgradeProfile): AutoUpgradeProfile | undefined =>
  upgradeProfiles.find((file) => file.metadata.name === metadata.name);

/** The claims that neither the tip nor the commits before it hold. */
async function unprovenIn(
  claims: readonly Claim[],
  { history, tip }: { readonly history: FollowedHistory; readonly tip: Fleet },
): Promise<readonly Claim[]> {
  let open = claims.filter(({ holdsIn }) => !holdsIn(tip));
  if (open.length === 0) return open;
  for await (const { fleet } of history.before(history.tip)) {
    open = open.filter(({ holdsIn }) => !holdsIn(fleet));
    if (open.length === 0) break;
  }
  return open;
}
