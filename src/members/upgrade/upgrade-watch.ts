import { messageOf } from '../../api/message-of.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import type { MemberClient } from '../api-server/client.ts';
import { type Clock, sleep } from '../clock.ts';
import { firstLook, type Look, lookAt, upgradeOf } from './look.ts';
import type { ProviderSetting, UpgradeProvider, WantedOperation } from './provider.ts';

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
  /** False until the provider has been looked at once. */
  idle(): boolean;
}

/** `versions` is undefined while the provider does not respond: nothing is started on a member of which nothing is known. */
export type UpgradeObservation = Pick<ClusterObservation, 'versions' | 'upgrade'>;

/** A provider that fails to respond so many times in a row counts as not responding. */
const mostMisses = 3;

/** A provider that cannot be opened is tried again after this time, milliseconds. */
const unopenedPace = { activeMs: 30_000, idleMs: 30_000 };

/**
 * Looks at the provider of a member again and again: observes it, advances the operation, and reports what changed. It remembers
 * nothing of an operation that decides what is requested: after a restart everything follows from what the provider shows.
 */
export function upgradeWatch(
  input: UpgradedMember & {
    readonly providers?: OpenProviders | undefined;
    readonly life: AbortSignal;
    readonly changed: () => void;
  },
): UpgradeWatch {
  const { clock, life } = input;
  let setting: ProviderSetting | undefined;
  let wanted: WantedOperation | undefined;
  let look = firstLook;
  let looked = false;
  let news = newsOf(clock);
  let cached: UpgradeObservation | undefined;
  /** Ends the pause between two looks. */
  let wake = new AbortController();
  /** Ends following the present provider. */
  let following = new AbortController();

  async function follow(of: ProviderSetting, signal: AbortSignal): Promise<void> {
    let provider: UpgradeProvider | undefined;
    let misses = 0;
    while (!signal.aborted) {
      wake = new AbortController();
      try {
        provider ??= await (input.providers ?? noProviders)(of, input);
        const next = await lookAt(provider, () => (signal.aborted ? undefined : wanted));
        misses = 0;
        if (!signal.aborted) took(next);
      } catch (error) {
        misses++;
        const isLost = misses >= mostMisses || look.seen === undefined;
        if (!signal.aborted)
          took({ ...look, ...(isLost && { seen: undefined, findings: [] }), trouble: messageOf(error) });
      }
      const isActive = wanted !== undefined || look.seen?.running !== undefined || misses > 0;
      const { activeMs, idleMs } = provider?.pace ?? unopenedPace;
      await sleep(clock, isActive ? activeMs : idleMs, AbortSignal.any([wake.signal, signal]));
    }
  }

  function took(next: Look): void {
    look = next;
    const before = cached;
    cached = undefined;
    const isSame = looked && JSON.stringify(before) === JSON.stringify(observation());
    looked = true;
    if (isSame) cached = before;
    else input.changed();
  }

  function observation(): UpgradeObservation | undefined {
    if (setting) cached ??= observed(look, { wanted, news });
    return cached;
  }

  return {
    use(next) {
      if (setting?.provider === next?.provider && setting?.ref === next?.ref) return;
      following.abort();
      following = new AbortController();
      const wasLooked = looked;
      [setting, look, looked, news, cached] = [next, firstLook, false, newsOf(clock), undefined];
      if (next) void follow(next, AbortSignal.any([following.signal, life]));
      if (wasLooked) input.changed();
    },
    assign(next) {
      const isSame = wanted?.operation.operationId === next?.operation.operationId && wanted?.adopted === next?.adopted;
      wanted = next;
      if (isSame) return false;
      cached = undefined;
      wake.abort();
      return true;
    },
    observation,
    idle: () => setting === undefined || looked,
  };
}

const noProviders: OpenProviders = ({ provider }) =>
  Promise.reject(new Error(`upgrade provider ${provider} is not set up`));

/** When what is reported of an upgrade last changed, milliseconds. */
interface News {
  /** `found`: undefined = nothing was heard. */
  since(found: object | undefined): number | undefined;
}

function newsOf(clock: Clock): News {
  let last: { readonly text: string; readonly since: number } | undefined;
  return {
    since(found) {
      const text = found && JSON.stringify(found);
      if (text !== undefined && last?.text !== text) last = { text, since: clock.now() };
      return last?.since;
    },
  };
}

function observed(
  look: Look,
  { wanted, news }: { readonly wanted: WantedOperation | undefined; readonly news: News },
): UpgradeObservation {
  const { seen, findings, trouble } = look;
  const operationId = wanted?.operation.operationId;
  const report = operationId === look.operationId ? look.report : undefined;
  const upgrade = upgradeOf({ seen, operationId, report, trouble });
  // That the provider does not respond, or waits, is no news of the operation.
  const since = news.since(seen && upgrade.phase !== 'Unknown' ? [seen.versions, upgrade] : undefined);
  return {
    ...(seen && { versions: { ...seen.versions } }),
    upgrade: {
      ...upgrade,
      ...(since !== undefined && { since: new Date(since).toISOString() }),
      ...(findings.length > 0 && { findings: [...findings] }),
    },
  };
}
