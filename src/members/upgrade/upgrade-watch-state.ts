import type { ClusterObservation } from '../../api/observation.ts';
import { assertNever } from '../../engine/kernel/assert.ts';
import { firstLook, type Look, upgradeOf } from './look.ts';
import type { ProviderSetting, WantedOperation } from './provider.ts';

/** `versions` is undefined while the provider does not respond: nothing is started on a member of which nothing is known. */
export type UpgradeObservation = Pick<ClusterObservation, 'versions' | 'upgrade'>;

/** What is known of the upgrades of one member. Nothing here decides what is requested, so that a restart loses nothing. */
export interface UpgradeWatchState {
  /** Undefined = nothing upgrades the member. */
  readonly setting: ProviderSetting | undefined;
  readonly wanted: WantedOperation | undefined;
  readonly look: Look;
  /** The present provider has been looked at, with or without a response. */
  readonly looked: boolean;
  /** Looks in a row to which the provider did not respond. */
  readonly misses: number;
  /** What was last heard of the upgrade, as JSON, and since when, milliseconds; undefined = nothing yet. */
  readonly news: { readonly text: string; readonly since: number } | undefined;
  /** Undefined when nothing upgrades the member. The same value as long as nothing changed. */
  readonly observation: UpgradeObservation | undefined;
  /** The observation may have changed since it was last reported: by another operation, which is not reported by itself. */
  readonly isUnreported: boolean;
}

export type UpgradeWatchEvent =
  | { readonly kind: 'used'; readonly setting: ProviderSetting | undefined; readonly atMs: number }
  | { readonly kind: 'assigned'; readonly wanted: WantedOperation | undefined; readonly atMs: number }
  | { readonly kind: 'looked'; readonly look: Look; readonly atMs: number }
  /** No response, or the provider cannot be opened. */
  | { readonly kind: 'missed'; readonly message: string; readonly atMs: number };

export type UpgradeWatchEffect =
  /** Follow this provider in place of the one before; undefined = none. */
  | { readonly kind: 'follow'; readonly setting: ProviderSetting | undefined }
  /** Look at once. */
  | { readonly kind: 'wake' }
  /** The observation changed. */
  | { readonly kind: 'report' };

export interface UpgradeWatchStep {
  readonly state: UpgradeWatchState;
  readonly effects: readonly UpgradeWatchEffect[];
}

/** A provider that fails to respond so many times in a row counts as not responding. */
const mostMisses = 3;

export const firstUpgradeWatch: UpgradeWatchState = {
  setting: undefined,
  wanted: undefined,
  look: firstLook,
  looked: false,
  misses: 0,
  news: undefined,
  observation: undefined,
  isUnreported: false,
};

export function nextUpgradeWatch(state: UpgradeWatchState, event: UpgradeWatchEvent): UpgradeWatchStep {
  const { atMs } = event;
  switch (event.kind) {
    case 'used': {
      const { setting } = event;
      if (state.setting?.provider === setting?.provider && state.setting?.ref === setting?.ref)
        return { state, effects: [] };
      return {
        state: observed({ ...firstUpgradeWatch, setting, wanted: state.wanted }, atMs),
        effects: [{ kind: 'follow', setting }, ...(state.looked ? [report] : [])],
      };
    }
    case 'assigned': {
      const [before, { wanted }] = [state.wanted, event];
      const isSame = idOf(before) === idOf(wanted) && before?.adopted === wanted?.adopted;
      // What an operation of one id brings may differ from pass to pass.
      if (isSame) return { state: { ...state, wanted }, effects: [] };
      return { state: { ...observed({ ...state, wanted }, atMs), isUnreported: true }, effects: [{ kind: 'wake' }] };
    }
    case 'looked':
      return afterLook({ ...state, look: event.look, misses: 0 }, atMs);
    case 'missed': {
      const { look } = state;
      const misses = state.misses + 1;
      const isLost = misses >= mostMisses || look.seen === undefined;
      const unseen = isLost ? { ...look, seen: undefined, findings: [] } : look;
      return afterLook({ ...state, look: { ...unseen, trouble: event.message }, misses }, atMs);
    }
    default:
      return assertNever(event);
  }
}

const report: UpgradeWatchEffect = { kind: 'report' };

/** Whether the provider is looked at in the pace of an upgrade. */
export const isActive = ({ wanted, look, misses }: UpgradeWatchState): boolean =>
  wanted !== undefined || look.seen?.running !== undefined || misses > 0;

function afterLook(before: UpgradeWatchState, atMs: number): UpgradeWatchStep {
  const after = { ...observed(before, atMs), looked: true, isUnreported: false };
  const isSame = JSON.stringify(before.observation) === JSON.stringify(after.observation);
  if (before.looked && isSame && !before.isUnreported)
    return { state: { ...after, observation: before.observation }, effects: [] };
  return { state: after, effects: [report] };
}

/** With the observation that follows from the rest. */
function observed(state: UpgradeWatchState, atMs: number): UpgradeWatchState {
  const { setting, wanted, look } = state;
  if (setting === undefined) return { ...state, observation: undefined };
  const { seen, findings, trouble } = look;
  const operationId = idOf(wanted);
  const found = operationId === look.operationId ? look.report : undefined;
  const upgrade = upgradeOf({ seen, operationId, report: found, trouble });
  // That the provider does not respond, waits, or was not asked for the operation is no news of it.
  const isNews = upgrade.phase !== 'Unknown' && upgrade.phase !== 'NotRequested';
  const text = seen && isNews ? JSON.stringify([seen.versions, upgrade]) : undefined;
  const news = text === undefined || text === state.news?.text ? state.news : { text, since: atMs };
  return {
    ...state,
    news,
    observation: {
      ...(seen && { versions: { ...seen.versions } }),
      upgrade: {
        ...upgrade,
        ...(news && { since: new Date(news.since).toISOString() }),
        ...(seen?.lastOperation !== undefined && { lastOperation: seen.lastOperation }),
        ...(findings.length > 0 && { findings: [...findings] }),
      },
    },
  };
}

const idOf = (wanted: WantedOperation | undefined): string | undefined => wanted?.operation.operationId;
