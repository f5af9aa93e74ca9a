import type { AzureHttp, AzureRequest, AzureResponse } from '../../../../src/members/upgrade/aks/azure-http.ts';
import type { ManualClock } from '../../../../src/simulator/clock.ts';
import {
  type ArmOperation,
  apiVersion,
  type DefinitionName,
  definitions,
  longestTagValue,
  operations,
  tagName,
} from './arm-shapes.ts';

type Fields = Record<string, unknown>;

interface Pool extends Fields {
  name: string;
  eTag: string;
  orchestratorVersion: string;
  currentOrchestratorVersion: string;
  nodeImageVersion: string;
  provisioningState: string;
}

const host = 'https://management.azure.com';
export const clusterPath =
  '/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/rg1/providers/Microsoft.ContainerService/managedClusters/eu-1';

const family = 'AKSUbuntu-2204gen2containerd';
export const oldImage = `${family}-202601.13.0`;
export const newImage = `${family}-202601.27.0`;

/**
 * Azure Resource Manager with one AKS cluster of two pools. Every request is checked by the published shapes. An upgrade takes 25 s for
 * the control plane, and 25 s for each pool.
 */
export class FakeArm {
  readonly #clock: ManualClock;
  /** Requests that change something, as `PUT managedClusters/eu-1 {…}`. */
  readonly changes: string[] = [];
  /** What was wrong with requests. */
  readonly violations: string[] = [];
  readonly tokenForms: URLSearchParams[] = [];
  token = 'token-1';
  isHanging = false;
  isFailing = false;
  /** Responses that come before anything else, once each. */
  readonly next: AzureResponse[] = [];
  tags: Record<string, string> = { team: 'shop' };
  state = 'Succeeded';
  eTag = 1;
  kubernetesVersion = '1.30.9';
  currentKubernetesVersion = '1.30.9';
  powerState = 'Running';
  channel = 'none';
  newestImage = newImage;
  /** Operations are named by the header Location alone. */
  hasLocationOnly = false;
  #aborted = 0;
  readonly pools: Pool[] = ['np1', 'np2'].map((name) => ({
    name,
    eTag: '1',
    count: 3,
    vmSize: 'Standard_D4s_v5',
    osType: 'Linux',
    mode: 'System',
    orchestratorVersion: '1.30.9',
    currentOrchestratorVersion: '1.30.9',
    nodeImageVersion: oldImage,
    provisioningState: 'Succeeded',
  }));
  #operations = new Map<string, { status: string; error?: object }>();

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  readonly http: AzureHttp = async (request) => {
    const { method, url } = request;
    if (url.startsWith('https://login.microsoftonline.com/')) return this.#signIn(request);
    if (!url.startsWith(`${host}/`)) throw new Error(`a request to ${url}`);
    const first = this.next.shift();
    if (first) return first;
    if (request.headers['authorization'] !== `Bearer ${this.token}`)
      return answer(401, { error: { code: 'ExpiredAuthenticationToken', message: 'the token expired' } });
    const known = this.#operations.get(url);
    if (method === 'GET' && known) return answer(200, known, { 'retry-after': '5' });
    const found = this.#operationOf(request);
    if (found === undefined) {
      this.violations.push(`${method} ${url} is not published`);
      return answer(404, { error: { code: 'InvalidResourceType', message: 'no such call' } });
    }
    return this.#serve(found.operation, found.pool, request);
  };

  #signIn({ body = '' }: AzureRequest): AzureResponse {
    this.tokenForms.push(new URLSearchParams(body));
    return answer(200, { token_type: 'Bearer', expires_in: 3_599, access_token: this.token });
  }

  #operationOf({ method, url, headers, body }: AzureRequest) {
    const { pathname, searchParams } = new URL(url);
    for (const operation of operations) {
      const form = operation.path.replace(/[.]/g, '\\.').replace(/\{agentPoolName\}/, '(?<pool>[a-z0-9]+)');
      const match = new RegExp(`^${form.replace(/\{\w+\}/g, '[^/]+')}$`).exec(pathname);
      if (!match || operation.method !== method) continue;
      const problems = [
        ...(searchParams.get('api-version') === apiVersion ? [] : ['api-version']),
        ...(operation.ifMatch === (headers['if-match'] !== undefined) ? [] : ['If-Match']),
        ...bodyProblems(operation, body),
      ];
      this.violations.push(...problems.map((problem) => `${operation.operationId}: ${problem}`));
      return { operation, pool: this.pools.find(({ name }) => name === match.groups?.['pool']) };
    }
    return undefined;
  }

  #serve({ operationId }: ArmOperation, pool: Pool | undefined, request: AzureRequest): AzureResponse {
    if (operationId === 'ManagedClusters_Get') return answer(200, this.#cluster());
    if (operationId === 'AgentPools_GetUpgradeProfile')
      return answer(200, {
        name: 'default',
        properties: { kubernetesVersion: '1.30.9', osType: 'Linux', latestNodeImageVersion: this.newestImage },
      });
    this.changes.push(
      `${request.method} ${new URL(request.url).pathname.split('/').slice(7).join('/')} ${request.body ?? ''}`.trim(),
    );
    const wanted = request.headers['if-match'];
    if (wanted !== undefined && wanted !== (pool?.eTag ?? String(this.eTag)))
      return answer(412, { error: { code: 'PreconditionFailed', message: 'the eTag differs' } });
    if ([this.state, ...this.pools.map(({ provisioningState }) => provisioningState)].some(isBusy))
      return answer(409, { code: 'OperationNotAllowed', message: 'another operation is in progress' });
    this.#change();
    const body = JSON.parse(request.body ?? '{}') as { tags?: Record<string, string>; properties?: Fields };
    switch (operationId) {
      case 'ManagedClusters_UpdateTags':
        this.tags = body.tags ?? {};
        return this.#work([{ state: 'Updating', run: () => {} }]);
      case 'ManagedClusters_CreateOrUpdate':
        return this.#upgradeCluster(body);
      case 'AgentPools_CreateOrUpdate':
        pool!.orchestratorVersion = String(body.properties?.['orchestratorVersion']);
        return this.#work([this.#poolStep(pool!)], pool);
      default:
        return this.#work([{ state: 'UpgradingNodeImageVersion', run: () => this.#bringImage(pool!) }], pool, 202);
    }
  }

  #upgradeCluster({ tags = {}, properties = {} }: { tags?: Record<string, string>; properties?: Fields }) {
    this.tags = tags;
    this.kubernetesVersion = String(properties['kubernetesVersion']);
    const pools = properties['agentPoolProfiles'] as { name: string; orchestratorVersion: string }[];
    const versions = pools.map(({ orchestratorVersion }) => orchestratorVersion);
    const isUnchanged = this.pools.every(({ orchestratorVersion }, at) => versions[at] === orchestratorVersion);
    if (!isUnchanged && versions.some((version) => version !== this.kubernetesVersion))
      return answer(400, { code: 'NotAllAgentPoolOrchestratorVersionSpecifiedAndUnchanged', message: 'pools differ' });
    const moved = this.pools.filter((pool, at) => {
      pool.orchestratorVersion = versions[at]!;
      return pool.orchestratorVersion !== pool.currentOrchestratorVersion;
    });
    return this.#work([
      {
        state: 'Upgrading',
        run: () => {
          this.currentKubernetesVersion = this.kubernetesVersion;
        },
      },
      ...moved.map((pool) => this.#poolStep(pool)),
    ]);
  }

  #poolStep = (pool: Pool): Step => ({
    state: 'Upgrading',
    run: () => {
      pool.currentOrchestratorVersion = pool.orchestratorVersion;
      this.#bringImage(pool);
    },
  });

  #bringImage(pool: Pool): void {
    pool.nodeImageVersion = this.newestImage;
  }

  /** Carries out one step after another, 25 s each, on the cluster or on one pool. */
  #work(steps: readonly Step[], pool?: Pool, status = 200): AzureResponse {
    const url = `${host}/subscriptions/00000000-0000-0000-0000-000000000000/providers/Microsoft.ContainerService/locations/westeurope/operations/${this.#operations.size}?api-version=2017-08-31`;
    const set = (state: string): void => {
      if (pool) pool.provisioningState = state;
      else this.state = state;
      this.#change(pool);
    };
    const aborted = this.#aborted;
    const run = (at: number): void => {
      const step = steps[at];
      if (step === undefined) {
        set('Succeeded');
        this.#operations.set(url, { status: 'Succeeded' });
        return;
      }
      set(step.state);
      this.#clock.after(25_000, () => {
        if (aborted !== this.#aborted) return;
        if (this.isHanging && step.state !== 'Updating') return;
        if (this.isFailing && step.state !== 'Updating') {
          set('Failed');
          this.#operations.set(url, { status: 'Failed', error: { code: 'QuotaExceeded', message: 'no cores left' } });
          return;
        }
        step.run();
        run(at + 1);
      });
    };
    this.#operations.set(url, { status: 'InProgress' });
    run(0);
    const header = this.hasLocationOnly ? 'location' : 'azure-asyncoperation';
    return answer(status, pool ?? this.#cluster(), { [header]: url, 'retry-after': '5' });
  }

  #change(pool?: Pool): void {
    this.eTag++;
    if (pool) pool.eTag = String(Number(pool.eTag) + 1);
  }

  /** Somebody else edits the cluster. */
  touch(): void {
    this.#change();
  }

  /** Somebody else aborts what is in progress. */
  abort(): void {
    this.#aborted++;
    this.state = 'Canceled';
    for (const url of this.#operations.keys()) this.#operations.set(url, { status: 'Canceled' });
    this.#change();
  }

  /** Somebody else upgrades the cluster. */
  upgrade(version: string): void {
    this.kubernetesVersion = version;
    this.#work([
      {
        state: 'Upgrading',
        run: () => {
          this.currentKubernetesVersion = version;
        },
      },
    ]);
  }

  #cluster(): object {
    return {
      id: clusterPath,
      name: 'eu-1',
      type: 'Microsoft.ContainerService/ManagedClusters',
      location: 'westeurope',
      eTag: String(this.eTag),
      tags: this.tags,
      sku: { name: 'Base', tier: 'Standard' },
      identity: { type: 'SystemAssigned' },
      properties: {
        provisioningState: this.state,
        powerState: { code: this.powerState },
        kubernetesVersion: this.kubernetesVersion,
        currentKubernetesVersion: this.currentKubernetesVersion,
        dnsPrefix: 'eu-1',
        fqdn: 'eu-1.hcp.westeurope.azmk8s.io',
        maxAgentPools: 100,
        supportPlan: 'KubernetesOfficial',
        autoUpgradeProfile: { upgradeChannel: this.channel },
        agentPoolProfiles: structuredClone(this.pools),
      },
    };
  }
}

interface Step {
  readonly state: string;
  readonly run: () => void;
}

const isBusy = (state: string): boolean => !['Succeeded', 'Failed', 'Canceled'].includes(state);

export const answer = (status: number, body: object, headers: Record<string, string> = {}): AzureResponse => ({
  status,
  headers,
  text: JSON.stringify(body),
});

function bodyProblems({ body: name }: ArmOperation, text: string | undefined): string[] {
  if (name === undefined) return text === undefined ? [] : ['a body'];
  const body = JSON.parse(text ?? '{}') as { tags?: Record<string, string>; properties?: Fields };
  const pools = (body.properties?.['agentPoolProfiles'] ?? []) as Fields[];
  const tags = Object.entries(body.tags ?? {}).filter(
    ([key, value]) => !tagName.test(key) || value.length > longestTagValue,
  );
  return [
    ...propertyProblems(name, body as Fields),
    ...(name === 'ManagedCluster' ? propertyProblems('ManagedClusterProperties', body.properties ?? {}) : []),
    ...(name === 'AgentPool' ? propertyProblems('ManagedClusterAgentPoolProfile', body.properties ?? {}) : []),
    ...pools.flatMap((pool) => propertyProblems('ManagedClusterAgentPoolProfile', pool)),
    ...tags.map(([key]) => `tag ${key}`),
  ];
}

function propertyProblems(name: DefinitionName, fields: Fields): string[] {
  const { writable, readOnly } = definitions[name] as { writable: readonly string[]; readOnly: readonly string[] };
  return Object.keys(fields).flatMap((key) => {
    if (readOnly.includes(key)) return [`${name}.${key} is read-only`];
    return writable.includes(key) ? [] : [`${name}.${key} is not published`];
  });
}
