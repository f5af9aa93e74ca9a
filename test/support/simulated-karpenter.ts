import type { Manifest } from '../../src/api/meta.ts';
import { fieldsAt, listAt, textAt } from '../../src/engine/node-pools/read-fields.ts';
import { customDefinition } from './custom-definition.ts';
import type { VirtualFleet } from './virtual-fleet.ts';

/**
 * A Karpenter small enough to be checked by reading, which shares no rule with the engine: it marks what is consolidatable and drifted,
 * removes empty nodes, replaces drifted ones, and emits the conditions and events that Karpenter documents (core `events.go`). Budgets
 * without schedules only; it launches one type. A client of the API server, as the real one.
 */
export class SimulatedKarpenter {
  readonly #fleet: VirtualFleet;
  readonly #member: string;
  /** Removed nodes with their reasons, in order. */
  readonly disrupted: string[] = [];
  #launched = 0;
  #events = 0;
  #underWay: { readonly reason: string; readonly claim: string; readonly replacement: string | undefined } | undefined;

  constructor(fleet: VirtualFleet, member: string) {
    this.#fleet = fleet;
    this.#member = member;
  }

  /** The kind of NodeClaims, which its member has to serve. */
  static readonly definition = customDefinition('NodeClaim', { group: 'karpenter.sh', scope: 'Cluster' });

  /** Lets time pass, and reconciles every ten seconds. */
  async run(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 10) {
      await this.#reconcile();
      await this.#fleet.run(10);
    }
  }

  async #reconcile(): Promise<void> {
    const [nodes, pods] = [await this.#list('/api/v1/nodes'), await this.#list('/api/v1/pods')];
    const pools = await this.#list('/apis/karpenter.sh/v1/nodepools');
    for (const node of nodes) await this.#adopt(node, pools);
    const claims = await this.#list('/apis/karpenter.sh/v1/nodeclaims');
    for (const claim of claims) {
      if (claim.metadata.deletionTimestamp) await this.#terminate(claim, pods);
      else await this.#judge(claim, pools);
    }
    await this.#disrupt(pools, nodes, pods);
  }

  /** A ready node of a pool has a NodeClaim, and is initialized. */
  async #adopt(node: Manifest, pools: readonly Manifest[]): Promise<void> {
    const { name, labels = {} } = node.metadata;
    if (!isReady(node)) return;
    const pool = pools.find((one) => one.metadata.name === labels['karpenter.sh/nodepool']);
    if (pool === undefined || labels['karpenter.sh/initialized'] === 'true') return;
    await this.#ask('PATCH', `/api/v1/nodes/${name}`, { metadata: { labels: { 'karpenter.sh/initialized': 'true' } } });
    await this.#ask('POST', '/apis/karpenter.sh/v1/nodeclaims', {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: {
        name: `${name}-claim`,
        labels: { ...labels, 'karpenter.sh/initialized': 'true' },
        annotations: { 'karpenter.sh/nodepool-hash': hashOf(pool) },
        finalizers: ['karpenter.sh/termination'],
      },
      spec: { expireAfter: 'Never', nodeClassRef: fieldsAt(pool, 'spec', 'template', 'spec', 'nodeClassRef') },
      status: {
        nodeName: name,
        conditions: ['Launched', 'Registered', 'Initialized'].map((type) => this.#condition(type, type)),
      },
    });
  }

  /** Consolidatable and Drifted. */
  async #judge(claim: Manifest, pools: readonly Manifest[]): Promise<void> {
    const pool = poolOf(claim, pools)!;
    const isDrifted = claim.metadata.annotations?.['karpenter.sh/nodepool-hash'] !== hashOf(pool);
    const mayConsolidate = textAt(pool, 'spec', 'disruption', 'consolidateAfter') !== 'Never';
    await this.#set(claim, 'Consolidatable', mayConsolidate ? 'Consolidatable' : undefined);
    await this.#set(claim, 'Drifted', isDrifted ? 'NodePoolDrifted' : undefined);
  }

  /** One command at a time. */
  async #disrupt(pools: readonly Manifest[], nodes: readonly Manifest[], pods: readonly Manifest[]): Promise<void> {
    const claims = await this.#list('/apis/karpenter.sh/v1/nodeclaims');
    if (this.#underWay) return this.#continue(claims);
    for (const claim of claims.filter(({ metadata }) => !metadata.deletionTimestamp)) {
      const name = nodeOf(claim);
      const own = pods.filter((pod) => textAt(pod, 'spec', 'nodeName') === name);
      const reason = own.length === 0 && has(claim, 'Consolidatable') ? 'Empty' : has(claim, 'Drifted') && 'Drifted';
      if (!reason) {
        await this.#event('Unconsolidatable', ['NodeClaim', claim.metadata.name], "Can't replace with a cheaper node");
        continue;
      }
      const pool = poolOf(claim, pools)!;
      const blocking = own.find((pod) => pod.metadata.annotations?.['karpenter.sh/do-not-disrupt'] === 'true');
      if (blocking) {
        const message = `Pod has "karpenter.sh/do-not-disrupt" annotation (Pod=default/${blocking.metadata.name})`;
        await this.#event('DisruptionBlocked', ['Node', name], message);
      } else if (allowed(pool, nodes.length) <= claims.filter(({ metadata }) => metadata.deletionTimestamp).length) {
        const message = `No allowed disruptions for disruption reason ${reason} due to blocking budget`;
        await this.#event('DisruptionBlocked', ['NodePool', pool.metadata.name], message);
      } else return this.#begin(claim, reason, pool);
    }
  }

  async #begin(claim: Manifest, reason: string, pool: Manifest): Promise<void> {
    const taints = [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }];
    await this.#ask('PATCH', `/api/v1/nodes/${nodeOf(claim)}`, { spec: { taints } });
    await this.#set(claim, 'DisruptionReason', reason);
    const replacement = reason === 'Drifted' ? `${pool.metadata.name}-${++this.#launched}` : undefined;
    this.#underWay = { reason, claim: claim.metadata.name, replacement };
    if (replacement === undefined) return;
    await this.#event('DisruptionLaunching', ['NodeClaim', claim.metadata.name], `Launching NodeClaim: ${reason}`);
    const old = await this.#ask('GET', `/api/v1/nodes/${nodeOf(claim)}`);
    const { labels } = old.metadata;
    await this.#ask('POST', '/api/v1/nodes', {
      ...old,
      metadata: {
        name: replacement,
        labels: {
          ...labels,
          ...fieldsAt(pool, 'spec', 'template', 'metadata', 'labels'),
          'kubernetes.io/hostname': replacement,
          'karpenter.sh/initialized': null,
        },
      },
      spec: {},
    });
  }

  /** Waits for the replacement, then deletes the claim. */
  async #continue(claims: readonly Manifest[]): Promise<void> {
    const { claim, reason, replacement } = this.#underWay!;
    const about = claims.find(({ metadata }) => metadata.name === claim);
    if (about === undefined) this.#underWay = undefined;
    else if (replacement && !claims.some((one) => nodeOf(one) === replacement)) {
      const message = 'Waiting on readiness to continue disruption';
      await this.#event('DisruptionWaitingReadiness', ['NodeClaim', claim], message);
      const { status } = await this.#ask('GET', `/api/v1/nodes/${nodeOf(about)}`);
      await this.#ask('PATCH', `/api/v1/nodes/${replacement}/status`, { status });
    } else if (!about.metadata.deletionTimestamp) {
      await this.#event('DisruptionTerminating', ['NodeClaim', claim], `Disrupting NodeClaim: ${reason}`);
      await this.#event('DisruptionTerminating', ['Node', nodeOf(about)], `Disrupting Node: ${reason}`);
      await this.#ask('DELETE', `/apis/karpenter.sh/v1/nodeclaims/${claim}`);
      this.disrupted.push(`${nodeOf(about)} ${reason}`);
    }
  }

  /** Evicts, then removes the node and lets the claim go. */
  async #terminate(claim: Manifest, pods: readonly Manifest[]): Promise<void> {
    const name = nodeOf(claim);
    const own = pods.filter((pod) => textAt(pod, 'spec', 'nodeName') === name);
    for (const { metadata } of own)
      await this.#fleet.ask(
        this.#member,
        'POST',
        `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/eviction`,
        { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: metadata.name, namespace: metadata.namespace } },
      );
    if (own.length > 0) return;
    await this.#ask('DELETE', `/api/v1/nodes/${name}`);
    await this.#ask('PATCH', `/apis/karpenter.sh/v1/nodeclaims/${claim.metadata.name}`, {
      metadata: { finalizers: null },
    });
  }

  /** Sets a condition to True, or removes it. */
  async #set(claim: Manifest, type: string, reason: string | undefined): Promise<void> {
    const before = listAt(claim, 'status', 'conditions');
    if (before.some((one) => textAt(one, 'type') === type) === (reason !== undefined)) return;
    const others = before.filter((one) => textAt(one, 'type') !== type);
    const conditions = reason === undefined ? others : [...others, this.#condition(type, reason)];
    await this.#ask('PATCH', `/apis/karpenter.sh/v1/nodeclaims/${claim.metadata.name}`, { status: { conditions } });
  }

  #condition = (type: string, reason: string) => ({
    type,
    status: 'True',
    reason,
    message: reason,
    lastTransitionTime: this.#now(),
  });

  #now = (): string => new Date(this.#fleet.clock.now()).toISOString().replace(/\.\d+Z/, 'Z');

  async #event(reason: string, [kind, name]: readonly [string, string], message: string): Promise<void> {
    const known = await this.#list('/api/v1/namespaces/default/events');
    const isKnown = known.some(
      (event) =>
        event['reason'] === reason && textAt(event, 'involvedObject', 'name') === name && event['message'] === message,
    );
    if (isKnown) return;
    await this.#ask('POST', '/api/v1/namespaces/default/events', {
      metadata: { name: `karpenter-${++this.#events}`, namespace: 'default' },
      involvedObject: { kind, name },
      type: 'Normal',
      reason,
      message,
      count: 1,
      lastTimestamp: this.#now(),
      source: { component: 'karpenter' },
    });
  }

  #list = async (path: string): Promise<readonly Manifest[]> => (await this.#ask('GET', path)).items;

  // biome-ignore lint/suspicious/noExplicitAny: an answer of an API server.
  async #ask(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<any> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const { status, body: answer } = await this.#fleet.ask(this.#member, method, path, body, type);
    if (status === 429) {
      await this.#fleet.run(1);
      return this.#ask(method, path, body);
    }
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
    return answer;
  }
}

const nodeOf = (claim: Manifest): string => textAt(claim, 'status', 'nodeName')!;
const poolOf = ({ metadata }: Manifest, pools: readonly Manifest[]): Manifest | undefined =>
  pools.find((pool) => pool.metadata.name === metadata.labels?.['karpenter.sh/nodepool']);
const isReady = (node: Manifest): boolean =>
  listAt(node, 'status', 'conditions').some(
    (one) => textAt(one, 'type') === 'Ready' && textAt(one, 'status') === 'True',
  );
const has = (claim: Manifest, type: string): boolean =>
  listAt(claim, 'status', 'conditions').some((one) => textAt(one, 'type') === type);
const hashOf = (pool: Manifest): string => JSON.stringify(fieldsAt(pool, 'spec', 'template', 'metadata'));

/** The least of its budgets. */
const allowed = (pool: Manifest, total: number): number =>
  Math.min(
    ...listAt(pool, 'spec', 'disruption', 'budgets').map((budget) => {
      const nodes = textAt(budget, 'nodes')!;
      return nodes.endsWith('%') ? Math.ceil((Number(nodes.slice(0, -1)) * total) / 100) : Number(nodes);
    }),
  );
