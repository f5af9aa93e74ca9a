import {
  formatMinor,
  formatVersion,
  type KubernetesVersion,
  minorsBetween,
  parseVersion,
} from '../../api/kubernetes-version.ts';
import type { Manifest } from '../../api/meta.ts';
import type { ClusterObservation, RequestedApi, UpgradeFinding } from '../../api/observation.ts';
import { removedApiOf } from '../kernel/removed-apis.ts';
import { shortList } from '../kernel/short-list.ts';
import { isBlockingBudget } from './blocking-budget.ts';
import type { MemberStart } from './target-of-member.ts';
import { versionOf } from './version-skew.ts';

/**
 * What stands against an upgrade of a member, in AKS's words (upgradeInsights): what its provider found, and what follows from what
 * the member runs, what placements put there and what is to change. A reason that the provider gives is not given twice.
 */
export function findingsAgainst(
  observation: ClusterObservation | undefined,
  { placed, to }: { readonly placed: readonly Manifest[] } & Pick<MemberStart, 'to'>,
): readonly UpgradeFinding[] {
  const found = observation?.upgrade?.findings ?? [];
  const [current, next] = [versionOf(observation?.versions?.controlPlane), versionOf(to.controlPlane)];
  const own = [
    ...blockingBudgets(observation),
    ...(next ? removedApis(placed, { current, next }) : []),
    ...(next ? requestedApis(observation, { current, next }) : []),
    ...notRead(observation, { current, next }),
    ...newerPools(observation, { to, controlPlane: next ?? current }),
  ];
  // Of budgets and pools the provider knows as much; what it found of APIs is in use by others.
  const isReported = ({ reason }: UpgradeFinding): boolean =>
    reason !== 'ApiBreakingChange' && found.some((finding) => finding.reason === reason);
  return [...own.filter((finding) => !isReported(finding)), ...found];
}

function blockingBudgets(observation: ClusterObservation | undefined): UpgradeFinding[] {
  const { extras = [], objects = [] } = observation ?? {};
  const budgets = [...new Set([...extras, ...objects].filter(isBlockingBudget).map(nameOf))].sort();
  if (budgets.length === 0) return [];
  const blocks = budgets.length === 1 ? 'blocks' : 'block';
  const message = `PodDisruptionBudget ${shortList(budgets)} ${blocks} every eviction`;
  return [{ reason: 'PDBConstraint', severity: 'Blocking', message }];
}

const nameOf = ({ metadata: { namespace, name } }: Manifest): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

/** Blocking: the upgrade ends the API. Warning: a later one will, and its successor is there by then. */
function removedApis(
  placed: readonly Manifest[],
  { current, next }: { readonly current: KubernetesVersion | undefined; readonly next: KubernetesVersion },
): UpgradeFinding[] {
  const texts = { Blocking: new Map<string, Set<string>>(), Warning: new Map<string, Set<string>>() };
  for (const manifest of placed) {
    const api = removedApiOf(manifest);
    // What the present version does not serve is not there.
    if (!api || next.major !== 1 || (current && current.minor >= api.removedIn)) continue;
    const { successor, removedIn } = api;
    const severity = next.minor >= removedIn ? 'Blocking' : 'Warning';
    if (severity === 'Warning' && successor && next.minor < successor.since) continue;
    const instead = successor ? `write ${successor.apiVersion}` : 'it has no successor';
    const text = `${manifest.apiVersion} ${manifest.kind} is removed in ${formatMinor({ major: 1, minor: removedIn })}, ${instead}`;
    const names = texts[severity].get(text) ?? new Set();
    texts[severity].set(text, names.add(nameOf(manifest)));
  }
  return (['Blocking', 'Warning'] as const).flatMap((severity): UpgradeFinding[] => {
    const all = [...texts[severity]].map(([text, names]) => `${text}: ${shortList([...names].sort())}`).sort();
    return all.length === 0 ? [] : [{ reason: 'ApiBreakingChange', severity, message: all.join('; ') }];
  });
}

/**
 * What any clients of its API server use. Blocking: the upgrade ends the API. Warning: a later one will. What the
 * present version does not serve anymore was requested of an earlier one.
 */
function requestedApis(
  observation: ClusterObservation | undefined,
  { current, next }: { readonly current: KubernetesVersion | undefined; readonly next: KubernetesVersion },
): UpgradeFinding[] {
  const known = (observation?.preflight?.requestedApis ?? []).flatMap(({ removedRelease, ...api }) => {
    const removedIn = parseVersion(removedRelease ?? '');
    const isServed = removedIn !== undefined && !(current && minorsBetween(removedIn, current) >= 0);
    return isServed ? [{ text: `${nameOfApi(api)} (removed in ${formatMinor(removedIn)})`, removedIn }] : [];
  });
  const version = formatVersion(next);
  return (['Blocking', 'Warning'] as const).flatMap((severity): UpgradeFinding[] => {
    const texts = known
      .filter(({ removedIn }) => minorsBetween(removedIn, next) >= 0 === (severity === 'Blocking'))
      .map(({ text }) => text)
      .sort();
    if (texts.length === 0) return [];
    const effect =
      severity === 'Blocking' ? `the upgrade to ${version} ends that` : `an upgrade after ${version} ends that`;
    return [{ reason: 'ApiBreakingChange', severity, message: `clients request ${shortList(texts)}: ${effect}` }];
  });
}

const nameOfApi = ({ group, version, resource, subresource }: RequestedApi): string =>
  [group ? `${group}/${version}` : version, [resource, subresource].filter(Boolean).join('/')].join(' ');

/** What could not be read before the upgrade. Without another minor no API ends. */
function notRead(
  observation: ClusterObservation | undefined,
  { current, next }: { readonly current: KubernetesVersion | undefined; readonly next: KubernetesVersion | undefined },
): readonly UpgradeFinding[] {
  const isOtherMinor = next !== undefined && !(current && minorsBetween(current, next) === 0);
  const texts: Readonly<Record<string, string>> = {
    PDBConstraint: 'not known what blocks evictions',
    ...(isOtherMinor && { ApiBreakingChange: 'not known which deprecated APIs clients request' }),
  };
  return (observation?.preflight?.findings ?? []).flatMap(({ reason, severity, message }) =>
    texts[reason] === undefined ? [] : [{ reason, severity, message: `${texts[reason]}: ${message}` }],
  );
}

/** A kubelet must not be newer than its API server. The upgrade of the control plane only makes it better: a warning. */
function newerPools(
  observation: ClusterObservation | undefined,
  { to, controlPlane }: { readonly to: MemberStart['to']; readonly controlPlane: KubernetesVersion | undefined },
): UpgradeFinding[] {
  if (controlPlane === undefined) return [];
  const newer = (observation?.versions?.pools ?? []).flatMap(({ name, kubernetes }) => {
    const written = to.pools.find((pool) => pool.name === name)?.kubernetes ?? kubernetes;
    const version = versionOf(written);
    return version && minorsBetween(controlPlane, version) > 0 ? [`${name} (${written})`] : [];
  });
  if (newer.length === 0) return [];
  const pools = newer.length === 1 ? `pool ${newer[0]} is` : `pools ${shortList(newer)} are`;
  const message = `${pools} newer than the control plane ${formatVersion(controlPlane)}`;
  return [{ reason: 'ComponentVersionMismatch', severity: 'Warning', message }];
}
