import { expect } from 'vitest';
import type { Document } from '../../support/folders.ts';

/** Keys that a stranger may rely on, in the order in which they stand; `?` = left out when there is nothing to say. */
const keys: Readonly<Record<string, readonly string[]>> = {
  plan: [
    ...['apiVersion', 'kind', 'commit', 'now', 'digest', 'wakeAt?', 'placements', 'targets', 'holds', 'runs'],
    ...['approvals', 'evictions', 'upgrades', 'nodes', 'guard', 'problems', 'record'],
  ],
  placement: [
    ...['kind', 'name', 'namespace?', 'policySnapshotIndex?', 'resourceSnapshotIndex?', 'scheduled'],
    ...['decisions', 'bindings', 'conditions'],
  ],
  scheduled: ['status', 'reason', 'message'],
  decision: ['clusterName', 'selected', 'clusterScore?', 'reason'],
  clusterScore: ['affinityScore', 'topologySpreadScore'],
  binding: ['clusterName', 'state', 'resourceSnapshotIndex?', 'move', 'conditions', 'reapply?'],
  target: ['clusterName', 'placement', 'resourceSnapshotIndex?', 'digest?', 'remove', 'objects'],
  ref: ['kind', 'name', 'namespace?'],
  object: ['apiVersion', 'kind', 'namespace?', 'name'],
  hold: ['subject', 'reason', 'message', 'until?'],
  subject: ['kind', 'name', 'namespace?', 'clusterName?', 'stage?'],
  run: ['kind', 'name', 'namespace?', 'status'],
  approval: ['kind', 'name', 'namespace?', 'spec', 'status', 'reviewDigest'],
  approvalSpec: ['parentStageRollout', 'targetStage'],
  conditions: ['conditions'],
  eviction: ['name', 'placementName', 'clusterName', 'status'],
  plannedNodes: ['clusterName', 'mode', 'pools', 'commands', 'blocked', 'target?'],
  finding: ['rule', 'message', 'removalDigest?'],
  problem: ['severity', 'code', 'file?', 'line?', 'column?', 'path?', 'value?', 'message', 'fix?'],
};

/** Every field of the document itself, of a placement, binding, target, hold and problem. */
export const documentKeys: readonly string[] = [
  ...new Set(
    ['plan', 'placement', 'decision', 'binding', 'target', 'hold', 'subject', 'finding', 'problem', 'eviction']
      .flatMap((kind) => keys[kind]!)
      .map((key) => key.replace('?', '')),
  ),
].filter((key) => key !== 'apiVersion');

const moves = ['keep', 'add', 'update', 'remove', 'wait'];
const states = ['Scheduled', 'Bound', 'Unscheduled'];
const severities = ['error', 'warning', 'info'];
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/;
const digest = /^sha256:[0-9a-f]{64}$/;

/** Every name, place and type of the document that `plan -o json` prints, whatever it plans. */
export function checkShape(plan: Document): void {
  has(plan, 'plan');
  expect(plan.apiVersion).toBe('gitfleet.dev/v1alpha1');
  expect(plan.kind).toBe('Plan');
  expect(plan.digest).toMatch(digest);
  if ('wakeAt' in plan) expect(plan.wakeAt).toMatch(instant);
  for (const placement of sorted(plan.placements, named)) {
    has(placement, 'placement');
    has(placement.scheduled, 'scheduled');
    for (const decision of placement.decisions) {
      has(decision, 'decision');
      expect(typeof decision.selected).toBe('boolean');
      if (decision.clusterScore) has(decision.clusterScore, 'clusterScore');
    }
    for (const binding of sorted(placement.bindings, ({ clusterName }) => clusterName)) {
      has(binding, 'binding');
      expect(states).toContain(binding.state);
      expect(moves).toContain(binding.move);
      for (const condition of binding.conditions) isCondition(condition);
    }
    for (const condition of placement.conditions) isCondition(condition);
  }
  for (const { upgrade, clusterName } of plan.targets)
    if (upgrade) expect(upgrade.operationId).toMatch(new RegExp(`^${upgrade.run}\\.${clusterName}\\.\\d{8}T\\d{6}Z$`));
  const placed = plan.targets.filter(({ upgrade }: Document) => !upgrade);
  for (const target of sorted(placed, (it) => `${it.clusterName}/${named(it.placement)}`)) {
    has(target, 'target');
    has(target.placement, 'ref');
    expect(typeof target.remove).toBe('boolean');
    if ('digest' in target) expect(target.digest).toMatch(digest);
    for (const object of target.objects) has(object, 'object');
  }
  for (const hold of sorted(plan.holds, ({ subject }) => `${subject.kind}/${named(subject)}`)) {
    has(hold, 'hold');
    has(hold.subject, 'subject');
  }
  for (const run of sorted(plan.runs, (it) => `${it.kind}/${named(it)}`)) has(run, 'run');
  for (const approval of sorted(plan.approvals, (it) => `${it.kind}/${named(it)}`)) {
    has(approval, 'approval');
    has(approval.spec, 'approvalSpec');
    has(approval.status, 'conditions');
    expect(approval.reviewDigest).toMatch(digest);
  }
  for (const eviction of sorted(plan.evictions, ({ name }) => name)) {
    has(eviction, 'eviction');
    has(eviction.status, 'conditions');
  }
  for (const upgrade of sorted(plan.upgrades, ({ name }) => name)) {
    expect(Object.keys(upgrade)).toEqual(['kind', 'name', 'status']);
    expect(['UpdateRun', 'AutoUpgradeProfile']).toContain(upgrade.kind);
  }
  for (const planned of plan.nodes) {
    has(planned, 'plannedNodes');
    expect(['delegate', 'plan', 'execute']).toContain(planned.mode);
  }
  for (const finding of plan.guard) {
    has(finding, 'finding');
    if ('removalDigest' in finding) expect(finding.removalDigest).toMatch(digest);
  }
  for (const problem of plan.problems) {
    has(problem, 'problem');
    expect(severities).toContain(problem.severity);
  }
  for (const text of Object.values(plan.record)) expect(typeof text).toBe('string');
  expect(JSON.stringify({ ...plan, record: undefined })).not.toContain(':null');
}

function has(value: Document, kind: string): void {
  const allowed = keys[kind]!;
  const present = Object.keys(value);
  const wanted = allowed.flatMap((key) => (!key.endsWith('?') || present.includes(key.slice(0, -1)) ? [key] : []));
  expect({ [kind]: present }).toEqual({ [kind]: wanted.map((key) => key.replace('?', '')) });
}

/** A metav1.Condition; `observedGeneration` where the object has a generation. */
function isCondition({ lastTransitionTime, observedGeneration = 1, ...condition }: Document): void {
  expect(Object.keys(condition)).toEqual(['type', 'status', 'reason', 'message']);
  expect(['True', 'False', 'Unknown']).toContain(condition.status);
  expect(condition.reason).toMatch(/^[A-Z][A-Za-z]+$/);
  expect(lastTransitionTime).toMatch(instant);
  expect(typeof observedGeneration).toBe('number');
}

const named = ({ namespace, name }: Document): string => (namespace ? `${namespace}.${name}` : name);

function sorted(list: readonly Document[], key: (item: Document) => string): readonly Document[] {
  const names = list.map(key);
  expect(names).toEqual([...names].sort());
  return list;
}
