import type { FleetConfig } from '../../api/gitfleet.ts';
import type { LabelSelector } from '../../api/meta.ts';
import type { Problem } from '../../api/problem.ts';
import { parseSelector, requirementText } from '../../api/selector-text.ts';
import type { Fleet } from '../../engine/input.ts';
import { matchesSelector } from '../../engine/kernel/selector.ts';
import { memberNameLabel } from '../../engine/placement/members.ts';
import { fieldWarning } from './field-warning.ts';
import { selectorTerms } from './selector-terms.ts';

/**
 * Warnings about label selectors that match no cluster of the repo: they may be misspelt. None in a repo without clusters, nor if an
 * invalid file may define one. Properties of clusters are not in the repo and are not checked.
 */
export function idleSelectors(fleet: Fleet): Problem[] {
  const { members, unreadable, refused } = fleet;
  if (members.length === 0 || unreadable.length > 0 || refused.some(({ kind }) => kind === 'MemberCluster')) return [];
  const labels = members.map(({ metadata }) => ({ [memberNameLabel]: metadata.name, ...metadata.labels }));
  const matching = onceForText((selector: LabelSelector) => labels.some((of) => matchesSelector(selector, of)));
  return selectors(fleet).flatMap(({ of: { kind, metadata }, path, selector }): Problem[] => {
    if (selector === undefined || matching(selector)) return [];
    const lost = missingLabel(selector, labels);
    const why = `the labels match no cluster of this repo${lost === undefined ? '' : `: none has ${lost}`}`;
    return [fieldWarning(fleet, { kind, ...metadata }, { code: 'idle-selector', path, why })];
  });
}

/** Memoizes by text, since many placements have equal selectors. */
function onceForText<K, V>(compute: (of: K) => V): (of: K) => V {
  const known = new Map<string, V>();
  return (of) => {
    const text = JSON.stringify(of);
    if (!known.has(text)) known.set(text, compute(of));
    return known.get(text)!;
  };
}

interface Selecting {
  readonly of: {
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
  };
  /** Dotted, inside the object. */
  readonly path: string;
  readonly selector: LabelSelector | undefined;
}

const selectors = ({ placements, overrides, strategies, ...fleet }: Fleet): Selecting[] => [
  ...placements.flatMap((of) =>
    selectorTerms(of).map(({ term, path }) => ({ of, path: `${path}.labelSelector`, selector: term.labelSelector })),
  ),
  ...overrides.flatMap((of) =>
    of.spec.policy.overrideRules.flatMap(({ clusterSelector }, rule) =>
      (clusterSelector?.clusterSelectorTerms ?? []).map(({ labelSelector }, at) => ({
        of,
        path: `spec.policy.overrideRules.${rule}.clusterSelector.clusterSelectorTerms.${at}.labelSelector`,
        selector: labelSelector,
      })),
    ),
  ),
  ...strategies.flatMap((of) =>
    of.spec.stages.map(({ labelSelector }, at) => ({
      of,
      path: `spec.stages.${at}.labelSelector`,
      selector: labelSelector,
    })),
  ),
  ...fleet.maintenanceConfigurations.map((of) => ({
    of,
    path: 'spec.memberSelector.byLabel',
    selector: of.spec.memberSelector && selectorByLabel(of.spec.memberSelector),
  })),
  ...[...fleet.instanceCatalogs, ...fleet.priceLists].map((of) => ({
    of,
    path: 'spec.clusterSelector',
    selector: of.spec.clusterSelector,
  })),
  ...nodeLimits(fleet.config),
];

function nodeLimits(config: FleetConfig | undefined): Selecting[] {
  const { budgets = [], waves = [] } = config?.spec.nodeDisruption ?? {};
  const path = 'spec.nodeDisruption';
  return [
    ...budgets.map(({ clusterSelector }, at) => ({
      path: `${path}.budgets.${at}.clusterSelector`,
      selector: clusterSelector,
    })),
    ...waves.map((selector, at) => ({ path: `${path}.waves.${at}`, selector })),
  ].map((found) => ({ of: { kind: 'FleetConfig', metadata: { name: config?.metadata?.name ?? 'fleet' } }, ...found }));
}

function selectorByLabel({ byLabel }: { readonly byLabel: string }): LabelSelector | undefined {
  const parsed = parseSelector(byLabel);
  return parsed.ok ? parsed.selector : undefined;
}

/** The first requirement that no cluster meets; undefined if each is met by some cluster. */
function missingLabel(
  { matchLabels, matchExpressions }: LabelSelector,
  labels: readonly Readonly<Record<string, string>>[],
): string | undefined {
  const requirements = [
    ...Object.entries(matchLabels ?? {}).map(([key, value]) => ({
      text: `${key}=${value}`,
      selector: { matchLabels: { [key]: value } },
    })),
    ...(matchExpressions ?? []).map((expression) => ({
      text: requirementText(expression),
      selector: { matchExpressions: [expression] },
    })),
  ];
  return requirements.find(({ selector }) => !labels.some((of) => matchesSelector(selector, of)))?.text;
}
