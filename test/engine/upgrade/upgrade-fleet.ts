import { expect } from 'vitest';
import { compareVersions, parseVersion } from '../../../src/api/kubernetes-version.ts';
import type { ClusterName } from '../../../src/api/meta.ts';
import { type ClusterObservation, clusterObservation } from '../../../src/api/observation.ts';
import type { UpgradeGate } from '../../../src/api/upgrade-gate.ts';
import type { UpgradeRunStatus } from '../../../src/api/upgrade-status.ts';
import type { Fleet, PlanInput } from '../../../src/engine/input.ts';
import { formatInstant, parseInstant } from '../../../src/engine/kernel/instant.ts';
import { planFleet } from '../../../src/engine/plan.ts';
import { type Plan, plannedUpgradeRuns, type UpgradeTarget } from '../../../src/engine/plan-document.ts';
import { memoryCache } from '../../../src/repo/fleet/load-cache.ts';
import { loadFleet } from '../../../src/repo/fleet/load-fleet.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import { sha256 } from '../../../src/repo/sha256.ts';
import { changes, treeOf } from '../../support/paper-fleet.ts';
import { planDefaults } from '../../support/plan-defaults.ts';
import { renderRecord } from '../../support/render-record.ts';

type Upgrade = NonNullable<ClusterObservation['upgrade']>;
type Versions = NonNullable<ClusterObservation['versions']>;

/** A member and what its upgrade provider does there. */
export interface Upgradable {
  versions: Versions | undefined;
  upgrade: Upgrade | undefined;
  reachable: boolean;
  extras?: readonly object[];
  objects?: readonly object[];
  preflight?: object;
}

export interface Asked {
  readonly kind: string;
  readonly name: string;
  readonly spec: UpgradeGate['spec'];
  readonly status: { readonly state: string };
  readonly reviewDigest: string;
}

/** A fleet whose members are upgraded by hand, on a clock that is moved by hand. */
export class UpgradeFleet {
  readonly files: Record<string, string>;
  now: number;
  record: ReadonlyMap<string, string> = new Map();
  readonly members = new Map<string, Upgradable>();
  /** False = no member is looked at. */
  isObserved = true;
  last: Plan | undefined;
  /** As the history of the repo shows them. */
  approvers: Fleet['approvers'];
  /** When each member last responded. */
  readonly #contacts = new Map<string, number>();
  readonly #cache = memoryCache();

  constructor(files: Readonly<Record<string, string>>, now = '2026-11-20T10:00:00Z') {
    this.files = { ...files };
    this.now = parseInstant(now)!;
  }

  /** Adds members with a provider, at these versions. */
  with(
    names: readonly string[],
    {
      labels = {},
      annotations = {},
      versions = at('v1.30.9'),
    }: {
      readonly labels?: Readonly<Record<string, string>>;
      readonly annotations?: Readonly<Record<string, string>>;
      readonly versions?: Versions;
    } = {},
  ): this {
    for (const name of names) {
      this.files[`clusters/${name}.yaml`] = JSON.stringify({
        apiVersion: 'cluster.kubernetes-fleet.io/v1beta1',
        kind: 'MemberCluster',
        metadata: { name, labels, annotations: { 'gitfleet.dev/upgrade-provider': 'simulated', ...annotations } },
        spec: {},
      });
      this.members.set(name, { versions, upgrade: undefined, reachable: true });
    }
    return this;
  }

  later(seconds: number): this {
    this.now += seconds * 1000;
    return this;
  }

  /** Plans and records: the guard finds nothing, a plan of the same instant changes nothing, nor does time before `wakeAt`. */
  async plan(): Promise<Plan> {
    const input = await this.input();
    const { plan } = planFleet(input);
    expect(plan.guard).toEqual([]);
    this.record = renderRecord(plan.record);
    const again = planFleet(await this.input()).plan;
    expect(changes(this.record, renderRecord(again.record))).toEqual({});
    expect({ ...again, record: undefined }).toEqual({ ...plan, record: undefined });
    const soon = Math.min(this.now + 60_000, plan.wakeAt === undefined ? Infinity : parseInstant(plan.wakeAt)! - 1);
    if (soon > this.now) {
      const later = planFleet({ ...(await this.input()), now: formatInstant(soon) }).plan;
      expect(changes(this.record, renderRecord(later.record))).toEqual({});
    }
    this.last = plan;
    return plan;
  }

  /** Takes the record of a plan. */
  publish(plan: Plan): void {
    this.record = renderRecord(plan.record);
  }

  async input(isDamaged = false): Promise<PlanInput> {
    const { record, problems } = readRecord(this.record);
    if (!isDamaged) expect(problems).toEqual([]);
    return {
      now: formatInstant(this.now),
      commit: 'c'.repeat(40),
      fleet: { ...(await loadFleet(treeOf(this.files), this.#cache)), approvers: this.approvers },
      observations: this.isObserved ? this.#observations() : undefined,
      ...planDefaults,
      record,
      digest: sha256,
    };
  }

  #observations(): Map<ClusterName, ClusterObservation> {
    return new Map(
      [...this.members].map(([name, { versions, upgrade, reachable, extras, objects, preflight }]) => {
        if (reachable) this.#contacts.set(name, this.now);
        const seen = clusterObservation.parse({
          apiVersion: 'gitfleet.dev/v1alpha1',
          kind: 'ClusterObservation',
          metadata: { name },
          observedAt: formatInstant(this.#contacts.get(name) ?? 0),
          reachable,
          upgrade,
          ...(reachable ? { versions, extras, objects, preflight } : { complete: false, cause: 'timeout' }),
        });
        return [name as ClusterName, seen];
      }),
    );
  }

  /** The targets of the last plan. */
  targets(): readonly UpgradeTarget[] {
    return (this.last?.targets ?? []).filter((target) => 'upgrade' in target);
  }

  /** `name operation` of what is in flight. */
  inFlight(): string[] {
    return this.targets().map(({ clusterName }) => clusterName);
  }

  /** What was started on these members succeeds, on all without names. */
  succeed(...names: readonly string[]): this {
    for (const { clusterName, upgrade } of this.targets()) {
      if (names.length > 0 && !names.includes(clusterName)) continue;
      const member = this.members.get(clusterName)!;
      const before = member.versions;
      const pools = (before?.pools ?? []).map((pool) => {
        const to = upgrade.pools?.find(({ name }) => name === pool.name);
        return { ...pool, ...(to?.kubernetes && { kubernetes: to.kubernetes }), ...(to?.image && { image: to.image }) };
      });
      // No provider takes a control plane back that somebody raised meanwhile.
      const [to, runs] = [parseVersion(upgrade.controlPlane ?? ''), parseVersion(before?.controlPlane ?? '')];
      const moves = to !== undefined && (runs === undefined || compareVersions(to, runs) > 0);
      member.versions = { ...before, ...(moves && { controlPlane: upgrade.controlPlane }), pools };
      member.upgrade = { target: upgrade.operationId, phase: 'Succeeded', since: formatInstant(this.now) };
    }
    return this;
  }

  /** What was started on these members fails. */
  fail(...names: readonly string[]): this {
    for (const { clusterName, upgrade } of this.targets())
      if (names.includes(clusterName))
        this.members.get(clusterName)!.upgrade = {
          target: upgrade.operationId,
          phase: 'Failed',
          message: 'disk full',
          since: formatInstant(this.now),
        };
    return this;
  }

  /** The approvals of the last plan. */
  asked(): readonly Asked[] {
    return (this.last?.approvals ?? []).map(({ planned }) => planned as Asked);
  }

  /** Merges the branch of an approval. */
  merge(name: string, state: 'Completed' | 'Rejected' = 'Completed'): this {
    const asked = this.asked().find((approval) => approval.name === name);
    if (!asked) throw new Error(`no approval ${name}: ${this.asked().map((it) => it.name)}`);
    const { kind, spec, reviewDigest } = asked;
    const annotations = { 'gitfleet.dev/review': reviewDigest };
    const file = { apiVersion: 'gitfleet.dev/v1alpha1', kind, metadata: { name, annotations }, spec };
    this.files[`approvals/${name}.yaml`] = JSON.stringify({ ...file, spec: { ...file.spec, state } });
    return this;
  }

  run(name = 'k8s'): UpgradeRunStatus {
    const run = this.last && plannedUpgradeRuns(this.last).find((it) => it.name === name);
    if (!run) throw new Error(`no run ${name}`);
    return run.status;
  }

  /**
   * Run, stages, groups and members with their states, one line a stage:
   * `Running | test Running: canary Running [a Running, b NotStarted]`.
   */
  states(name = 'k8s'): string[] {
    const { status, stages } = this.run(name);
    const code = (of: { readonly state: string; readonly error?: { readonly code: string } | undefined }): string =>
      of.error ? `${of.state}/${of.error.code}` : of.state;
    return [
      code(status),
      ...stages.map(
        (stage) =>
          `${stage.name} ${code(stage.status)}: ${stage.groups
            .map(
              (group) =>
                `${group.name} ${code(group.status)} [${group.members
                  .map((member) => `${member.name} ${code(member.status)}`)
                  .join(', ')}]`,
            )
            .join(' ')}`,
      ),
    ];
  }

  holds(): string[] {
    return (this.last?.holds ?? []).map(({ subject, reason, until }) =>
      [subject.clusterName ?? subject.group ?? subject.stage ?? subject.name, reason, until].filter(Boolean).join(' '),
    );
  }
}

/** Versions of a member with one pool. */
export const at = (version: string, image?: string): Versions => ({
  controlPlane: version,
  pools: [{ name: 'np1', kubernetes: version, ...(image && { image }) }],
});

export { upgradeRun as run, upgradeStrategy as strategy } from '../../support/cluster-upgrades.ts';

/** The label that puts a member in a group. */
export const inGroup = (group: string) => ({ labels: { 'gitfleet.dev/update-group': group } });
