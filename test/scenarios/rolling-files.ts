import { placement } from '../support/paper-fleet.ts';

/** The placements of a story: two that ask for the same things, a namespace, and what is in it. */
export const apps = ['web', 'twin', 'team', 'app'] as const;
export type App = (typeof apps)[number];

/** The file of one of them; `policy` and `strategy` in flow style. */
export function placementFile(
  app: App,
  { policy, strategy, history }: { readonly policy: string; readonly strategy: string; readonly history: number },
): string {
  const namespaces = { web: 'web', twin: 'web', team: 'team', app: 'team' } as const;
  const text = placement(app, policy, strategy, namespaces[app]);
  const texts: Record<App, string> = {
    web: text,
    twin: text,
    team: text.replace('name: team}]', 'name: team, selectionScope: NamespaceOnly}]'),
    app: text
      .replace(
        'kind: ClusterResourcePlacement\nmetadata: {name: app}',
        'kind: ResourcePlacement\nmetadata: {name: app, namespace: team}',
      )
      .replace(
        '{group: "", version: v1, kind: Namespace, name: team}',
        '{group: apps, version: v1, kind: Deployment, name: app}',
      ),
  };
  return `${texts[app]}  revisionHistoryLimit: ${history}\n`;
}
