import type { MemberClient } from '../../api-server/client.ts';
import type { ProviderSetting } from '../../upgrade/provider.ts';
import type { Launcher } from './launcher.ts';
import { simulatedLauncher } from './simulated.ts';

/** Who launches nodes of a member: the provider that upgrades it. */
export interface Launching {
  use(setting: ProviderSetting | undefined): void;
  /** Undefined: nothing can launch nodes there. Then no launches are reported, and commands that need a replacement are held. */
  launcher(): Launcher | undefined;
}

export function launching(client: MemberClient): Launching {
  let launcher: Launcher | undefined;
  let provider: string | undefined;
  return {
    use(setting) {
      if (setting?.provider === provider) return;
      provider = setting?.provider;
      launcher = provider === 'simulated' ? simulatedLauncher(client) : undefined;
    },
    launcher: () => launcher,
  };
}
