import type { Timestamp } from '../api/meta.ts';
import { placementKey } from '../api/placement.ts';
import type { Problem } from '../api/problem.ts';
import type { DomainOutcome, Outcomes, RecordEntry } from './domain.ts';
import type { PlanInput } from './input.ts';
import { canonicalJson } from './kernel/canonical-json.ts';
import { parseInstant } from './kernel/instant.ts';
import { by, sortKey } from './kernel/ordering.ts';
import type { Hold, Plan, PlanSections, RequestedApproval } from './plan-document.ts';
import { directoryOf } from './record/documents.ts';
import { type SortedTargets, sortTargets } from './sort-targets.ts';

/** The plan document of what the domains hand over: every list sorted, every absent field left out. */
export function assemble(
  { sections, others }: Outcomes,
  { commit, now, digest, withoutPlanDigest }: Pick<PlanInput, 'commit' | 'now' | 'digest' | 'withoutPlanDigest'>,
  /** Of an earlier plan. */
  earlier: SortedTargets | undefined,
): {
  readonly plan: Plan;
  readonly targets: SortedTargets;
  readonly wakes: readonly Timestamp[];
  readonly starts: boolean;
} {
  const domains = [...others, ...Object.values(sections)];
  const all = <Part extends keyof DomainOutcome>(part: Part): readonly DomainOutcome[Part][] =>
    domains.map((domain) => domain[part]);
  const holds = sortedHolds(all('holds').flat());
  const approvals = all('approvals').flat().sort(by(keyOf));
  const targets = sortTargets(all('targets').flat(), earlier);
  const wakes = [...all('wakes').flat(), ...holds.flatMap(({ until }) => until ?? [])];
  const wakeAt = earliest(wakes, now);
  const { placements, runs, ...further } = sectionsOf(sections);
  const planned = approvals.map((approval) => approval.planned);
  const wantedText = (): string => {
    const { placements: digests, ...digested } = Object.fromEntries(
      Object.entries(sections).map(([name, outcome]) => [name, outcome.digested()]),
    );
    return canonicalJson({ commit, holds, approvals: planned, digests, ...digested });
  };
  const documents = [...all('documents').flat(), ...approvalDocuments(approvals, digest)];
  const plan: Plan = {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'Plan',
    commit,
    now,
    digest: withoutPlanDigest ? '' : `sha256:${digest(wantedText())}`,
    ...(wakeAt === undefined ? {} : { wakeAt }),
    placements,
    targets: targets.sorted,
    holds,
    runs,
    approvals,
    ...further,
    guard: [],
    problems: all('problems').flat().map(inOrder),
    record: new Map(documents.sort(by(([path]) => path))),
  };
  return { plan, targets, wakes, starts: Object.values(sections).some(({ starts }) => starts) };
}

const sectionsOf = (sections: Outcomes['sections']) =>
  Object.fromEntries(Object.entries(sections).map(([name, { section }]) => [name, section])) as PlanSections;

const keyOf = ({ planned }: RequestedApproval): string => `${planned.kind}/${placementKey(planned)}`;

const approvalDocuments = (approvals: readonly RequestedApproval[], digest: PlanInput['digest']): RecordEntry[] =>
  directoryOf(
    'approvals',
    approvals.flatMap(({ planned, document }) => (document ? [{ name: placementKey(planned), document }] : [])),
    digest,
  );

/** Fields in the order of the document. */
function inOrder({ severity, code, file, line, inside, column, path, value, message, fix, ...lint }: Problem): Problem {
  return {
    severity,
    code,
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    ...(inside === undefined ? {} : { inside }),
    ...(column === undefined ? {} : { column }),
    ...(path === undefined ? {} : { path }),
    ...(value === undefined ? {} : { value }),
    message,
    ...(fix === undefined ? {} : { fix }),
    ...lint,
  };
}

const sortedHolds = (holds: readonly Hold[]): Hold[] => {
  const seen = new Map(holds.map((hold) => [canonicalJson(hold), hold]));
  return [...seen.values()].sort(
    by(({ subject, reason }) =>
      sortKey(
        subject.kind,
        subject.namespace ?? '',
        subject.name,
        subject.stage ?? '',
        subject.group ?? '',
        subject.clusterName ?? '',
        reason,
      ),
    ),
  );
};

/** Wakes in the past have had their effect; the earliest to come counts. */
function earliest(wakes: readonly Timestamp[], now: Timestamp): Timestamp | undefined {
  const present = parseInstant(now) ?? 0;
  let best: { readonly at: number; readonly text: Timestamp } | undefined;
  for (const text of wakes) {
    const at = parseInstant(text);
    if (at !== undefined && at >= present && (best === undefined || at < best.at)) best = { at, text };
  }
  return best?.text;
}
