import type { UpgradeRunStatus, UpgradeState } from '../../api/upgrade-status.ts';
import { shortList } from '../../engine/kernel/short-list.ts';
import { plannedUpgradeRuns } from '../../engine/plan-document.ts';
import { allMembers } from '../../engine/upgrade/tree.ts';
import type { EventSource, TimelineEntry } from '../event-source.ts';
import { versionChange } from './progress.ts';

/** How cluster update runs go. */
type UpgradeEvent = { readonly run: string } & (
  | { readonly kind: 'upgrade-run-changed'; readonly state: UpgradeState; readonly why: string | undefined }
  | { readonly kind: 'upgrade-stage-changed'; readonly stage: string; readonly state: UpgradeState }
  | {
      readonly kind: 'member-changed';
      readonly member: string;
      readonly state: UpgradeState;
      readonly change: string | undefined;
      readonly why: string | undefined;
    }
);

export const upgrades: EventSource<UpgradeEvent> = {
  events: ({ before, plan }) =>
    plannedUpgradeRuns(plan).flatMap(({ name, status }) => eventsOf(name, status, before.upgrades.get(name)?.status)),
  sentences: (events) =>
    [...Map.groupBy(events, ({ run }) => run)].flatMap(([run, ofRun]) => {
      const text = sentenceOf(ofRun);
      return text === undefined ? [] : [`${run}: ${text}`];
    }),
  leads: true,
  entries: (event) => {
    const entry = entryOf(event);
    return entry ? [{ subject: event.run, ...entry }] : [];
  },
};

function eventsOf(run: string, status: UpgradeRunStatus, before: UpgradeRunStatus | undefined): UpgradeEvent[] {
  const known = new Map((before ? allMembers(before) : []).map((member) => [member.name, member]));
  const members = allMembers(status).flatMap((member): UpgradeEvent[] => {
    const was = known.get(member.name);
    const { state, error } = member.status;
    const isSame = was?.status.state === state && was.operationId === member.operationId;
    if (isSame || (state === 'NotStarted' && was === undefined)) return [];
    const { name } = member;
    return [{ kind: 'member-changed', run, member: name, state, change: versionChange(member), why: error?.message }];
  });
  const stages = status.stages.flatMap((stage, at): UpgradeEvent[] => {
    const { state } = stage.status;
    const was = before?.stages[at]?.status.state ?? 'NotStarted';
    return state === was ? [] : [{ kind: 'upgrade-stage-changed', run, stage: stage.name, state }];
  });
  const { state, error } = status.status;
  const isNew = state !== (before?.status.state ?? 'NotStarted');
  const ofRun: UpgradeEvent[] = isNew ? [{ kind: 'upgrade-run-changed', run, state, why: error?.message }] : [];
  return [...members, ...stages, ...ofRun];
}

/** What the run as a whole does comes before what becomes of its members. */
function sentenceOf(events: readonly UpgradeEvent[]): string | undefined {
  const run = events.find((event) => event.kind === 'upgrade-run-changed');
  if (run && run.state !== 'Running' && run.state !== 'Pending')
    return `${words[run.state]}${run.why === undefined ? '' : `: ${run.why}`}`;
  const members = events.filter((event) => event.kind === 'member-changed');
  for (const state of ['Failed', 'Running', 'Completed'] as const) {
    const names = members.filter((event) => event.state === state).map(({ member }) => member);
    if (names.length > 0) return `${shortList(names)} ${memberWords[state]}`;
  }
  const stage = events.findLast((event) => event.kind === 'upgrade-stage-changed');
  return stage && `stage ${stage.stage} ${words[stage.state]}`;
}

function entryOf(event: UpgradeEvent): Omit<TimelineEntry, 'subject'> | undefined {
  switch (event.kind) {
    case 'upgrade-run-changed': {
      const { state, why } = event;
      if (state === 'Completed') return { tone: 'good', text: '✓ the upgrade run is complete' };
      if (state === 'Failed') return { tone: 'bad', text: `✗ the upgrade run failed${why ? `: ${why}` : ''}` };
      return state === 'Running' || state === 'Pending' ? undefined : { tone: 'moving', text: words[state] };
    }
    case 'upgrade-stage-changed': {
      const { stage, state } = event;
      if (state === 'Pending' || state === 'NotStarted') return undefined;
      return {
        tone: state === 'Completed' ? 'good' : state === 'Failed' ? 'bad' : 'moving',
        text: `stage ${stage}: ${words[state]}`,
      };
    }
    case 'member-changed':
      return memberEntry(event);
  }
}

function memberEntry({
  member,
  state,
  change,
  why,
}: Extract<UpgradeEvent, { readonly kind: 'member-changed' }>): Omit<TimelineEntry, 'subject'> | undefined {
  const versions = change === undefined ? '' : ` (${change})`;
  switch (state) {
    case 'Running':
      return { tone: 'moving', text: `${member} upgrading${versions}` };
    case 'Completed':
      return { tone: 'good', text: `✓ ${member} upgraded${versions}` };
    case 'Failed':
      return { tone: 'bad', text: `✗ ${member} failed: ${why ?? ''}` };
    case 'Skipped':
      return { tone: 'decided', text: `${member} skipped: ${why ?? ''}` };
    default:
      // Holds show what it waits for.
      return undefined;
  }
}

const words: Readonly<Record<UpgradeState, string>> = {
  NotStarted: 'not started',
  Running: 'running',
  Pending: 'waiting',
  Stopping: 'stopping: what is in flight ends first',
  Stopped: 'stopped',
  Skipped: 'skipped',
  Failed: 'failed',
  Completed: 'done',
};

const memberWords = { Failed: 'failed', Running: 'upgrading', Completed: 'upgraded' } as const;
