import { createHash } from 'node:crypto';
import { at, fieldsAt, listAt, numberAt, textAt } from '../../../../src/engine/kernel/at.ts';
import type { SimClock } from '../../../../src/simulator/clock.ts';
import { makeObject } from '../../../../src/simulator/controllers/make-object.ts';
import type { SimulatedMember } from '../../../../src/simulator/member.ts';
import type { Stored } from '../../../../src/simulator/object.ts';
import type { Fields } from '../../../../src/simulator/schema/schema.ts';
import { remove } from '../../../../src/simulator/storage/remove.ts';
import { replace, writeStatus } from '../../../../src/simulator/storage/write.ts';
import { definitionOf } from './custom-kinds.ts';

export const planKind = { kind: 'Plan', group: 'upgrade.cattle.io', version: 'v1' };

const namespace = 'system-upgrade';

/** What a member needs so that a FakeSystemUpgrade can run there. */
export const systemUpgradeObjects: readonly object[] = [
  definitionOf(planKind),
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
];

const role = { 'node-role.kubernetes.io/control-plane': 'true' };
const pool = {
  instanceType: 'simulated',
  capacityType: 'on-demand' as const,
  zones: [],
  cpu: '4',
  memory: '16Gi',
  pods: 110,
  taints: [],
  used: { cpu: '0', memory: '0' },
};

/** Two servers and two agents. */
export const k3sNodes = [
  { ...pool, prefix: 'server', count: 2, labels: role },
  { ...pool, prefix: 'agent', count: 2, labels: {} },
];

const ttlMs = 900_000;

/**
 * The controllers of system-upgrade-controller over a simulated member, by its documented status (rancher/system-upgrade-controller,
 * pkg/upgrade): Plans get latestVersion and latestHash, a Job for each node up to `concurrency`, and nodes a label when their Job is
 * complete. A Job takes 5 s to change the kubelet, and 5 s more to end.
 */
export class FakeSystemUpgrade {
  readonly #member: SimulatedMember;
  readonly #clock: SimClock;
  isHanging = false;
  isFailing = false;
  /** The controller does not notice changes of Plans. */
  isAsleep = false;
  /** Jobs that were begun, by their node and version. */
  readonly begun: string[] = [];

  constructor(member: SimulatedMember, clock: SimClock) {
    this.#member = member;
    this.#clock = clock;
    this.#tick();
  }

  #tick(): void {
    this.#clock.after(5_000, () => {
      if (!this.isAsleep) this.#step();
      this.#tick();
    });
  }

  #kind = (key: string) => this.#member.cluster.registry.stored(key)!;

  #list = (key: string): readonly Stored[] =>
    this.#member.cluster.registry.stored(key) === undefined ? [] : this.#member.cluster.store.list(key);

  plan = (name: string): Stored | undefined =>
    this.#member.cluster.store.get('upgrade.cattle.io/plans', { namespace, name });

  jobs = (): readonly Stored[] => this.#list('batch/jobs');

  node = (name: string): Stored => this.#member.cluster.store.get('/nodes', { name })!;

  label(name: string, label: string, value: string): void {
    const live = this.node(name);
    const labels = { ...live.metadata.labels, [label]: value };
    const next = { ...live, metadata: { ...live.metadata, labels } };
    replace(this.#member.cluster, this.#kind('/nodes'), live, next, { manager: 'kubectl' });
  }

  setKubelet(name: string, kubeletVersion: string): void {
    const live = this.node(name);
    const status = fieldsAt(live, 'status');
    writeStatus(this.#member.cluster, this.#kind('/nodes'), live, {
      ...status,
      nodeInfo: { ...fieldsAt(status, 'nodeInfo'), kubeletVersion },
    });
  }

  createPlan(name: string, spec: object): void {
    makeObject(this.#member.cluster, this.#kind('upgrade.cattle.io/plans'), {
      metadata: { name, namespace },
      spec: spec as Fields,
    });
  }

  #step(): void {
    for (const job of this.jobs()) this.#runJob(job);
    for (const plan of this.#list('upgrade.cattle.io/plans')) this.#syncPlan(plan);
  }

  #syncPlan(plan: Stored): void {
    const { name } = plan.metadata;
    const version = textAt(plan, 'spec', 'version');
    const latestVersion = version.replaceAll('+', '-');
    const latestHash = createHash('sha224')
      .update(latestVersion + textAt(plan, 'spec', 'serviceAccountName'))
      .digest('hex');
    const mark = `plan.upgrade.cattle.io/${name}`;
    const candidates = this.#list('/nodes')
      .filter((node) => selects(plan, node) && !['disabled', latestHash].includes(node.metadata.labels?.[mark] ?? ''))
      .map((node) => node.metadata.name);
    const kept = listAt(plan, 'status', 'applying').filter((node) => candidates.includes(node as string));
    const concurrency = numberAt(plan, 'spec', 'concurrency');
    const applying = [...new Set([...kept, ...candidates])].slice(0, Math.max(concurrency, kept.length)) as string[];
    for (const node of applying) this.#startJob({ plan: name, node, latestVersion, latestHash });
    const complete = listAt(plan, 'status', 'conditions').find((it) => textAt(it, 'type') === 'Complete');
    const hasFailed = this.jobs().some((job) => labelOf(job, 'plan') === name && conditionOf(job, 'Failed'));
    const condition = hasFailed && complete !== undefined ? complete : completeOf(applying, concurrency);
    this.#setStatus(plan, { latestVersion, latestHash, applying, conditions: [condition as Fields] });
  }

  #startJob(of: { plan: string; node: string; latestVersion: string; latestHash: string }): void {
    const name = `apply-${of.plan}-on-${of.node}-with-${of.latestHash.slice(0, 20)}`;
    if (this.#member.cluster.store.get('batch/jobs', { namespace, name })) return;
    this.begun.push(`${of.node} ${of.latestVersion}`);
    makeObject(this.#member.cluster, this.#kind('batch/jobs'), {
      metadata: {
        name,
        namespace,
        labels: {
          'upgrade.cattle.io/plan': of.plan,
          'upgrade.cattle.io/node': of.node,
          'upgrade.cattle.io/version': of.latestVersion,
          [`plan.upgrade.cattle.io/${of.plan}`]: of.latestHash,
        },
      },
      spec: {
        managedBy: 'system-upgrade',
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'upgrade', image: 'upgrade' }] } },
      },
    });
  }

  #runJob(job: Stored): void {
    const [planName, node, version] = ['plan', 'node', 'version'].map((label) => labelOf(job, label));
    const plan = this.plan(planName!);
    const { cluster } = this.#member;
    const failedAt = conditionOf(job, 'Failed');
    // A Job that is over is looked at again when its time is up, also when its Plan is gone.
    if (failedAt !== undefined && this.#clock.now() - Date.parse(failedAt) < ttlMs) return;
    if (plan === undefined || failedAt !== undefined || textAt(plan, 'status', 'latestVersion') !== version) {
      remove(cluster, this.#kind('batch/jobs'), job, { propagation: 'Background' });
      return;
    }
    if (conditionOf(job, 'Complete') !== undefined || this.isHanging) return;
    if (this.isFailing) {
      this.#endJob(job, 'Failed');
      const message = `Job ${namespace}/${job.metadata.name} failed on Node ${node}: BackoffLimitExceeded`;
      const failed = { type: 'Complete', status: 'False', reason: 'JobFailed', message };
      this.#setStatus(plan, { ...fieldsAt(plan, 'status'), conditions: [failed] });
    } else if (textAt(this.node(node!), 'status', 'nodeInfo', 'kubeletVersion').replace('+', '-') !== version)
      this.setKubelet(node!, textAt(plan, 'spec', 'version'));
    else {
      this.#endJob(job, 'Complete');
      this.label(node!, `plan.upgrade.cattle.io/${planName}`, textAt(plan, 'status', 'latestHash'));
    }
  }

  #endJob(job: Stored, type: 'Complete' | 'Failed'): void {
    const lastTransitionTime = this.#member.cluster.timestamp();
    writeStatus(this.#member.cluster, this.#kind('batch/jobs'), job, {
      conditions: [{ type, status: 'True', lastTransitionTime }],
    });
  }

  #setStatus(plan: Stored, status: Fields): void {
    writeStatus(this.#member.cluster, this.#kind('upgrade.cattle.io/plans'), plan, status);
  }
}

const completeOf = (applying: readonly string[], concurrency: number): object =>
  applying.length === 0 || concurrency === 0
    ? { type: 'Complete', status: 'True', reason: 'Complete' }
    : { type: 'Complete', status: 'False', reason: 'SyncJob' };

const labelOf = (job: Stored, label: string): string => job.metadata.labels?.[`upgrade.cattle.io/${label}`] ?? '';

/** When a condition became True; undefined = it is not. */
function conditionOf(job: Stored, type: string): string | undefined {
  const found = listAt(job, 'status', 'conditions').find(
    (it) => textAt(it, 'type') === type && textAt(it, 'status') === 'True',
  );
  return found === undefined ? undefined : textAt(found, 'lastTransitionTime');
}

function selects(plan: Stored, { metadata: { labels = {} } }: Stored): boolean {
  return listAt(plan, 'spec', 'nodeSelector', 'matchExpressions').every((expression) => {
    const isThere = textAt(expression, 'key') in labels;
    return at(expression, 'operator') === 'Exists' ? isThere : !isThere;
  });
}
