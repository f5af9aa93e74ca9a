import { messageOf } from '../../api/message-of.ts';
import { assertNever } from '../../engine/kernel/assert.ts';
import type { MemberClient } from '../api-server/client.ts';
import { type Clock, sleep } from '../clock.ts';
import { lookAt } from './look.ts';
import type { ProviderSetting, UpgradeProvider, WantedOperation } from './provider.ts';
import {
  firstUpgradeWatch,
  isActive,
  nextUpgradeWatch,
  type UpgradeObservation,
  type UpgradeWatchEffect,
  type UpgradeWatchEvent,
} from './upgrade-watch-state.ts';

/** Opens the provider of a member; rejects when it is not set up. */
export type OpenProviders = (setting: ProviderSetting, member: UpgradedMember) => Promise<UpgradeProvider>;

export interface UpgradedMember {
  readonly name: string;
  /** To its own API server. */
  readonly client: MemberClient;
  readonly clock: Clock;
}

/** What the upgrade provider of one member reports, and the operation that it works on. */
export interface UpgradeWatch {
  /** Changes the provider; undefined = nothing upgrades the member. */
  use(setting: ProviderSetting | undefined): void;
  /** Replaces the operation; false when it did not change. A withdrawn one is not aborted. */
  assign(wanted: WantedOperation | undefined): boolean;
  /** Undefined when nothing upgrades the member. The same value as long as nothing changed. */
  observation(): UpgradeObservation | undefined;
  /** An operation is wanted or under way, or the provider does not respond. */
  isActive(): boolean;
  /** False until the provider has been looked at once. */
  idle(): boolean;
}

/** A provider that cannot be opened is tried again after this time, milliseconds. */
const unopenedPace = { activeMs: 30_000, idleMs: 30_000 };

/**
 * Looks at the provider of a member again and again: observes it, advances the operation, and reports what changed. Performs the
 * effects of `nextUpgradeWatch`.
 */
export function upgradeWatch(
  input: UpgradedMember & {
    readonly providers?: OpenProviders | undefined;
    readonly life: AbortSignal;
    readonly changed: () => void;
  },
): UpgradeWatch {
  const { clock, life } = input;
  let state = firstUpgradeWatch;
  /** Ends the pause between two looks. */
  let wake = new AbortController();
  /** Ends following the present provider. */
  let following = new AbortController();

  function dispatch(event: UpgradeWatchEvent): readonly UpgradeWatchEffect[] {
    const step = nextUpgradeWatch(state, event);
    state = step.state;
    for (const effect of step.effects) perform(effect);
    return step.effects;
  }

  function perform(effect: UpgradeWatchEffect): void {
    switch (effect.kind) {
      case 'follow':
        following.abort();
        following = new AbortController();
        if (effect.setting) void follow(effect.setting, AbortSignal.any([following.signal, life]));
        return;
      case 'wake':
        wake.abort();
        return;
      case 'report':
        input.changed();
        return;
      default:
        assertNever(effect);
    }
  }

  async function follow(setting: ProviderSetting, signal: AbortSignal): Promise<void> {
    let provider: UpgradeProvider | undefined;
    while (!signal.aborted) {
      wake = new AbortController();
      let event: UpgradeWatchEvent;
      try {
        provider ??= await (input.providers ?? noProviders)(setting, input);
        const look = await lookAt(provider, () => (signal.aborted ? undefined : state.wanted));
        event = { kind: 'looked', look, atMs: clock.now() };
      } catch (error) {
        event = { kind: 'missed', message: messageOf(error), atMs: clock.now() };
      }
      if (signal.aborted) return;
      dispatch(event);
      const { activeMs, idleMs } = provider?.pace ?? unopenedPace;
      await sleep(clock, isActive(state) ? activeMs : idleMs, AbortSignal.any([wake.signal, signal]));
    }
  }

  return {
    use: (setting) => void dispatch({ kind: 'used', setting, atMs: clock.now() }),
    assign: (wanted) => dispatch({ kind: 'assigned', wanted, atMs: clock.now() }).length > 0,
    observation: () => state.observation,
    isActive: () => isActive(state),
    idle: () => state.setting === undefined || state.looked,
  };
}

const noProviders: OpenProviders = ({ provider }) =>
  Promise.reject(new Error(`upgrade provider ${provider} is not set up`));
