import type { UpgradeFinding } from '../../api/observation.ts';
import { upgradeProviders } from '../../api/upgrade-providers.ts';
import type { UpdateRun } from '../../api/upgrade-run.ts';
import type { MemberUpgrade } from '../../api/upgrade-status.ts';
import { formatInstant, type Instant } from '../kernel/instant.ts';
import type { MemberCause } from '../plan-document.ts';
import { findingsAgainst } from './findings.ts';
import { providerAnnotation, upgradeProviderNamed } from './member-annotations.ts';
import { whyUnavailable } from './observed-member.ts';
import { isOperationOf } from './operation-id.ts';
import type { RunContext } from './run-context.ts';
import { type TargetOfMember, targetOfMember } from './target-of-member.ts';
import type { UpgradeMember } from './upgrades-input.ts';
import type { WantedUpgrade } from './wanted-upgrade.ts';
import { windowAt } from './windows.ts';

export type MemberVerdict =
  | { readonly kind: 'start'; readonly target: Start; readonly message: string | undefined }
  | {
      readonly kind: 'wait';
      readonly code: MemberCause | 'OtherRunActive' | 'Freeze';
      readonly message: string;
      /** When time alone may end it. */
      readonly until?: string | undefined;
      /** It waits for its window only, which opens soon. */
      readonly opensSoon?: true;
    }
  /** It starts, unless what its API server is asked now stands against that: it keeps its slot meanwhile. */
  | { readonly kind: 'ask'; readonly message: string }
  /** An operation of this run brought it there, whatever the record says of it. */
  | { readonly kind: 'done'; readonly operationId: string }
  | { readonly kind: 'skip' | 'fail'; readonly code: string; readonly message: string };

type Start = Extract<TargetOfMember, { readonly kind: 'start' }>;

/** Whether a member can be upgraded now. What is checked first is named first. */
export function lookAtMember(
  { name, hop, operationId }: MemberUpgrade,
  context: RunContext & {
    readonly wanted: WantedUpgrade;
    readonly nowMs: Instant;
    /** It would start at once. */
    readonly isFree: boolean;
  },
): MemberVerdict {
  const { input, run, wanted, nowMs, isFree } = context;
  const holder = context.holderOf(name);
  if (holder !== undefined && holder !== run.metadata.name)
    return wait('OtherRunActive', `run ${holder} is upgrading it`);
  const member = input.members.get(name)!;
  const { observation } = member;
  const unavailable = whyUnavailable(member);
  if (unavailable !== undefined) return byPolicy(run.spec.onUnavailable, 'ClusterUnavailable', unavailable);
  const without = withoutProvider(member);
  // A provider that is not there reports nothing. That is not the member's fault, so it is neither skipped nor failed.
  if (member.isObserved && observation?.versions === undefined) {
    const why = observation?.upgrade?.message === undefined ? '' : `: ${observation.upgrade.message}`;
    return without ?? wait('NoProvider', `the upgrade provider ${providerOf(member)} reports no versions${why}`);
  }
  const busy = busyWith(member, context);
  if (busy !== undefined) return wait('ClusterBusy', busy);
  if (input.unknownVersions !== undefined)
    return wait('KubernetesVersionNotAvailable', `no upgrade starts: ${input.unknownVersions}`);
  const catalog = input.catalogOf(member);
  const target = targetOfMember(wanted, { versions: observation?.versions, region: member.region, catalog, nowMs });
  switch (target.kind) {
    case 'at-target':
      // Of several operations of the run one has ended, whoever brought the member the rest of the way.
      if (hop && operationId !== undefined) return { kind: 'done', operationId };
      return doneByThisRun(member, context) ?? { kind: 'skip', code: 'AlreadyAtTarget', message: target.message };
    case 'skip':
    case 'fail':
      return target;
    case 'wait':
      return wait(target.code, target.message);
    case 'start':
      break;
  }
  const findings = findingsAgainst(observation, { placed: input.placedInOldApis(member), to: target.to });
  return (
    without ??
    preflight(findings, run.spec.onBlocked) ??
    inWindow(member, target, context) ??
    (isFree && run.spec.onBlocked !== 'Ignore' ? unread(member) : undefined) ??
    started(target, findings)
  );
}

const providerOf = ({ annotations }: UpgradeMember): string | undefined => annotations[providerAnnotation];

function withoutProvider(member: UpgradeMember): MemberVerdict | undefined {
  const provider = providerOf(member);
  if (provider === undefined)
    return wait('NoProvider', `nothing can upgrade it: it has no annotation ${providerAnnotation}`);
  if (upgradeProviderNamed(provider) !== undefined) return undefined;
  const known = upgradeProviders.join(', ');
  return wait('NoProvider', `nothing can upgrade it: there is no upgrade provider ${provider}, but ${known}`);
}

const wait = (
  code: Extract<MemberVerdict, { readonly kind: 'wait' }>['code'],
  message: string,
  until?: string | undefined,
): MemberVerdict => ({ kind: 'wait', code, message, ...(until === undefined ? {} : { until }) });

function byPolicy(policy: UpdateRun['spec']['onUnavailable'], code: MemberCause, message: string): MemberVerdict {
  if (policy === 'Pending') return wait(code, message);
  return { kind: policy === 'Skip' ? 'skip' : 'fail', code, message };
}

/** An operation that this run did not start. */
function busyWith({ observation }: UpgradeMember, { run }: RunContext): string | undefined {
  const upgrade = observation?.upgrade;
  if (upgrade?.phase !== 'Running') return undefined;
  const which =
    upgrade.target === undefined ? 'an operation that gitfleet did not start' : `operation ${upgrade.target}`;
  return `${which} is running; run ${run.metadata.name} waits for its end`;
}

/**
 * Nothing to do and done by this run differ: members of which all are skipped have no gates after them. So what the member itself has of
 * its last operation decides, not the record alone.
 */
function doneByThisRun({ name, observation }: UpgradeMember, { run }: RunContext): MemberVerdict | undefined {
  const { lastOperation, target, phase } = observation?.upgrade ?? {};
  const operationId = [lastOperation, phase === 'Succeeded' ? target : undefined].find(
    (id) => id !== undefined && isOperationOf({ run: run.metadata.name, member: name }, id),
  );
  return operationId === undefined ? undefined : { kind: 'done', operationId };
}

function preflight(
  findings: readonly UpgradeFinding[],
  policy: UpdateRun['spec']['onBlocked'],
): MemberVerdict | undefined {
  const blocking = findingsOf(findings, 'Blocking');
  if (blocking === undefined || policy === 'Ignore') return undefined;
  return byPolicy(policy, 'PreflightBlocked', `it is not ready for an upgrade: ${blocking}`);
}

function findingsOf(findings: readonly UpgradeFinding[], severity: UpgradeFinding['severity']) {
  const texts = findings
    .filter((finding) => finding.severity === severity)
    .map(({ reason, message }) => (message ? `${reason} (${message})` : reason));
  return texts.length === 0 ? undefined : texts.join('; ');
}

function inWindow(
  member: UpgradeMember,
  { type }: Start,
  { input, nowMs }: RunContext & { readonly nowMs: Instant },
): MemberVerdict | undefined {
  if (input.unknownWindows !== undefined) return wait('WindowClosed', `no upgrade starts: ${input.unknownWindows}`);
  const { state, opensAt } = windowAt(input.maintenanceOf(member, type), nowMs);
  if (state === 'soon' || state === 'closed') {
    if (opensAt === undefined) return wait('WindowClosed', 'no window opens within the next three years');
    const at = formatInstant(opensAt);
    const verdict = wait('WindowClosed', `next window opens at ${at}`, at);
    return state === 'soon' && verdict.kind === 'wait' ? { ...verdict, opensSoon: true } : verdict;
  }
  const { pause } = input;
  return pause.kind === 'paused' ? wait('Freeze', `no upgrade starts until ${pause.endsWhen}`, pause.until) : undefined;
}

/** Members are asked when they would start, not all the time: a response has some megabytes. */
function unread({ observation }: UpgradeMember): MemberVerdict | undefined {
  if (observation?.preflight?.done !== false) return undefined;
  const message = `its API server is being checked for deprecated APIs in use and for PodDisruptionBudgets`;
  return { kind: 'ask', message };
}

function started(target: Start, findings: readonly UpgradeFinding[]): MemberVerdict {
  const warned = findingsOf(findings, 'Warning');
  // It starts only where the run ignores these.
  const ignored = findingsOf(findings, 'Blocking');
  const texts = [
    target.message,
    ...target.warnings.map(({ reason, message }) => `${reason} (${message})`),
    warned,
    ignored && `ignored: ${ignored}`,
  ].filter((text) => text !== undefined);
  return { kind: 'start', target, message: texts.length === 0 ? undefined : texts.join('; ') };
}
