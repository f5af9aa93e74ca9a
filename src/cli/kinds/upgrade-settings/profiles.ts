import type { AutoUpgradeProfile } from '../../../api/auto-upgrade-profile.ts';
import { approvalBranch, howToMerge, mergeCommand } from '../../../engine/gate/request.ts';
import { proposedRun } from '../../../engine/upgrade/profile-run.ts';
import { sha256 } from '../../../repo/sha256.ts';
import { holdText } from '../../../report/hold-text.ts';
import { holdsOf } from '../../../report/holds-of.ts';
import type { Status } from '../../status/open-status.ts';
import { namesOfKind } from '../kind-words.ts';
import { type Listing, listing } from '../listing.ts';
import { fields, sentences, titled } from '../page-text.ts';

/** AutoUpgradeProfiles: what they follow, the newest target that they know, and the run that waits to be merged. */
export const profiles: Listing = listing<AutoUpgradeProfile>({
  names: [...namesOfKind('profiles'), 'autoupgradeprofiles', 'autoupgradeprofile'],
  folders: ['profiles'],
  items: ({ record }) => [...record.profiles.values()],
  describe: (profile) => ({ name: profile.metadata.name, value: profile }),
  page: profilePage,
  waits: waitsOf,
  columns: [
    { heading: 'CHANNEL', cell: ({ spec }) => channelText(spec) },
    { heading: 'STRATEGY', cell: ({ spec }) => spec.updateStrategyId ?? 'one by one' },
    { heading: 'DISABLED', cell: ({ spec }) => String(spec.disabled) },
    { heading: 'SEEN', cell: ({ status }) => status?.seen },
    { heading: 'PROPOSED', cell: ({ status }) => status?.proposed },
  ],
});

function profilePage(profile: AutoUpgradeProfile, status: Status): string[] {
  const { kind, metadata, spec, status: of = {} } = profile;
  const run = nameOfRun(profile);
  return [
    fields([
      ['Name', metadata.name],
      ['Kind', kind],
      ['Channel', channelText(spec)],
      ['Images', spec.nodeImageSelection.type],
      ['Strategy', spec.updateStrategyId ?? 'one by one'],
      ['Disabled', String(spec.disabled)],
      ['Seen', of.seen],
      ['Proposed', of.proposed],
      [
        'Last trigger',
        of.lastTriggeredAt && `${of.lastTriggeredAt}, ${of.lastTriggerStatus}: ${of.lastTriggerMessage}`,
      ],
    ]),
    titled('Waits for', sentences(waitsOf(profile, status))),
    ...(run === undefined ? [] : [titled('To approve', mergeCommand(approvalBranch({ name: run }), status.inPlace))]),
  ];
}

/** The name of the run that brings what it proposed. */
const nameOfRun = (profile: AutoUpgradeProfile): string | undefined => proposedRun(profile, sha256)?.metadata.name;

function waitsOf(profile: AutoUpgradeProfile, { holds }: Pick<Status, 'holds'>): string[] {
  const { kind, metadata } = profile;
  const run = nameOfRun(profile);
  const held = holdsOf({ kind, name: metadata.name }, holds).map(holdText);
  if (run !== undefined) return [`approval of run ${run}: ${howToMerge({ name: run })}`, ...held];
  return held.length > 0 ? held : [whyNothing(profile)];
}

/** Why it proposes no run. */
function whyNothing({ metadata: { name }, spec, status: { seen } = {} }: AutoUpgradeProfile): string {
  if (spec.disabled) return 'disabled: false; until then it notes what appears, and proposes nothing';
  const now = `gitfleet generate run --profile ${name}`;
  return seen === undefined
    ? `a first target of its channel, which is only noted; ${now} prints why there is none`
    : `a target newer than ${seen}; ${now} prints a run that brings ${seen} now`;
}

const channelText = ({
  channel,
  targetKubernetesVersion: minor,
  longTermSupport,
}: AutoUpgradeProfile['spec']): string =>
  minor === undefined ? channel : `${channel} ${minor}${longTermSupport ? ' (long-term support)' : ''}`;
