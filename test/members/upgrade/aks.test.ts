import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { azureIdentity } from '../../../src/cli/run/azure-identity.ts';
import { aksProvider } from '../../../src/members/upgrade/aks/aks.ts';
import { azureTokens } from '../../../src/members/upgrade/aks/credentials.ts';
import { resourceManager } from '../../../src/members/upgrade/aks/resource-manager.ts';
import { lookAt } from '../../../src/members/upgrade/look.ts';
import type { OperationReport, UpgradeOperation } from '../../../src/members/upgrade/provider.ts';
import { upgradeProvidersOf } from '../../../src/members/upgrade/providers.ts';
import { folder } from '../../support/folders.ts';
import { type AksWorld, aksWorld, identity } from './worlds/aks-world.ts';
import { answer, clusterPath, newImage, oldImage } from './worlds/fake-arm.ts';
import { pass } from './worlds/world.ts';

let world: AksWorld;
beforeEach(async () => {
  world = await aksWorld();
});
afterEach(() => world.close());

const operation = (more: Partial<UpgradeOperation> = {}): UpgradeOperation => ({
  run: 'k8s',
  operationId: 'k8s.eu-1.20261120T100000Z',
  type: 'Full',
  ...more,
});
const to = 'v1.31.5';
const both = operation({ controlPlane: to, pools: ['np1', 'np2'].map((name) => ({ name, kubernetes: to })) });
const images = (image?: string) =>
  operation({ type: 'NodeImageOnly', pools: ['np1', 'np2'].map((name) => ({ name, ...(image && { image }) })) });

/** One look, by the provider of a daemon that has just started. */
async function look(of: UpgradeOperation, provider = world.provider()): Promise<OperationReport> {
  const { report } = await lookAt(provider, () => ({ operation: of, adopted: false }));
  return report!;
}

async function looks(of: UpgradeOperation, times = 40): Promise<OperationReport> {
  let last = await look(of);
  for (let time = 0; time < times && last.phase === 'Running'; time++) {
    await pass(world.clock, 30);
    last = await look(of);
  }
  return last;
}

const requests = (): string[] => world.changes().map((line) => line.split(' {')[0]!);

it('control plane, pools and tag are one request, and nothing else is changed', async () => {
  expect(await looks(both)).toEqual({ phase: 'Succeeded', message: 'done' });
  expect(requests()).toEqual(['PUT managedClusters/eu-1']);
  expect(world.arm.tags).toEqual({ team: 'shop', 'gitfleet-upgrade-operation': both.operationId });
  const body = JSON.parse(world.changes()[0]!.slice('PUT managedClusters/eu-1 '.length));
  expect(body).toEqual({
    location: 'westeurope',
    tags: world.arm.tags,
    sku: { name: 'Base', tier: 'Standard' },
    identity: { type: 'SystemAssigned' },
    properties: {
      kubernetesVersion: '1.31.5',
      dnsPrefix: 'eu-1',
      supportPlan: 'KubernetesOfficial',
      autoUpgradeProfile: { upgradeChannel: 'none' },
      agentPoolProfiles: ['np1', 'np2'].map((name) => ({
        name,
        count: 3,
        vmSize: 'Standard_D4s_v5',
        osType: 'Linux',
        mode: 'System',
        orchestratorVersion: '1.31.5',
      })),
    },
  });
});

it('where pools get another version than the control plane, they come one by one', async () => {
  const one = operation({ controlPlane: to, pools: [{ name: 'np1', kubernetes: to }] });
  expect(await looks(one)).toMatchObject({ phase: 'Succeeded' });
  expect(requests()).toEqual(['PUT managedClusters/eu-1', 'PUT managedClusters/eu-1/agentPools/np1']);
  expect(world.arm.pools.map(({ currentOrchestratorVersion }) => currentOrchestratorVersion)).toEqual([
    '1.31.5',
    '1.30.9',
  ]);
});

it.each([[undefined], [newImage]])('node images (%s) are brought pool by pool, after the tag', async (image) => {
  expect(await looks(images(image))).toMatchObject({ phase: 'Succeeded' });
  expect(requests()).toEqual([
    'PATCH managedClusters/eu-1',
    'POST managedClusters/eu-1/agentPools/np1/upgradeNodeImageVersion',
    'POST managedClusters/eu-1/agentPools/np2/upgradeNodeImageVersion',
  ]);
});

it('an image that is not the newest of Azure is refused before anything changes', async () => {
  world.arm.newestImage = newImage.replace('202601', '202602');
  expect(await look(images(newImage))).toMatchObject({
    phase: 'Failed',
    message: expect.stringContaining('Azure brings only its newest node image'),
  });
  expect(world.changes()).toEqual([]);
  expect(await look(images(oldImage))).toMatchObject({ phase: 'Running' });
});

it('a pool that has failed before is refused where its new failure could not be told apart', async () => {
  world.arm.pools[1]!.provisioningState = 'Failed';
  expect(await look(images())).toMatchObject({ phase: 'Failed', message: expect.stringContaining('repair it first') });
  expect(world.changes()).toEqual([]);
});

it('a failure has the message of the operation, and after a restart still is one', async () => {
  world.fail();
  const provider = world.provider();
  await look(both, provider);
  await pass(world.clock, 60);
  expect(await look(both, provider)).toEqual({
    phase: 'Failed',
    message: 'control plane: Failed; QuotaExceeded: no cores left',
  });
  expect(await look(both)).toEqual({ phase: 'Failed', message: 'control plane: Failed; Azure gives no reason' });
});

it('an operation that Azure names by Location alone is read there', async () => {
  world.fail();
  const provider = world.provider();
  world.arm.hasLocationOnly = true;
  await look(both, provider);
  await pass(world.clock, 60);
  expect(await look(both, provider)).toMatchObject({
    phase: 'Failed',
    message: expect.stringContaining('QuotaExceeded'),
  });
});

it('an operation that somebody aborted has failed', async () => {
  const provider = world.provider();
  await look(both, provider);
  await pass(world.clock, 10);
  world.arm.abort();
  expect(await look(both, provider)).toMatchObject({ phase: 'Failed', message: expect.stringContaining('Canceled') });
  expect(await look(both)).toMatchObject({ phase: 'Failed', message: expect.stringContaining('Canceled') });
  const later = { ...both, operationId: 'k8s.eu-1.20261120T110000Z' };
  expect(await looks(later)).toMatchObject({ phase: 'Succeeded' });
});

it('an operation that has succeeded counts only once the cluster runs the version', async () => {
  const provider = world.provider();
  await look(both, provider);
  await pass(world.clock, 120);
  expect(await look(both, provider)).toMatchObject({ phase: 'Succeeded' });
  world.arm.pools[1]!.currentOrchestratorVersion = '1.30.9';
  expect(await look(both, provider)).toEqual({ phase: 'Running', message: 'waits for np2' });
});

it.each([
  [409, { code: 'OperationNotAllowed', message: 'another operation is in progress' }],
  [400, { error: { code: 'OperationNotAllowed', message: 'another operation is in progress' } }],
  [412, { error: { code: 'PreconditionFailed', message: 'the eTag differs' } }],
  [429, { error: { code: 'TooManyRequests', message: 'slow down' } }],
  [503, { error: { code: 'ServerTimeout', message: 'try again' } }],
])('a %s passes', async (status, body) => {
  const provider = world.provider();
  const seen = await provider.observe();
  world.arm.next.push(answer(status, body, { 'retry-after': '7' }));
  const report = await lookAt({ ...provider, observe: async () => seen }, () => ({ operation: both, adopted: false }));
  expect(report.report?.phase).toBe('Unknown');
  await pass(world.clock, 40);
  expect(await looks(both)).toMatchObject({ phase: 'Succeeded' });
});

it('after a 429 nothing is sent until Retry-After has passed', async () => {
  const provider = world.provider();
  world.arm.next.push(answer(429, {}, { 'retry-after': '20' }));
  await expect(provider.observe()).rejects.toMatchObject({ status: 429 });
  world.arm.next.push(answer(500, { error: { code: 'Sent' } }));
  await expect(provider.observe()).rejects.toMatchObject({ status: 429 });
  await pass(world.clock, 21);
  await expect(provider.observe()).rejects.toThrow('Sent');
});

it.each([
  'K8sVersionNotSupported',
  // Only OperationNotAllowed itself says that another operation is in progress.
  'OperationNotAllowedOnStoppedCluster',
])('a request that is rejected as %s fails the operation', async (code) => {
  const provider = world.provider();
  const seen = await provider.observe();
  world.arm.next.push(answer(400, { error: { code, message: 'it cannot be done' } }));
  const { report } = await lookAt({ ...provider, observe: async () => seen }, () => ({
    operation: both,
    adopted: false,
  }));
  expect(report).toMatchObject({ phase: 'Failed', message: expect.stringContaining(code) });
});

it('a change by somebody else since the look is not overwritten', async () => {
  const provider = world.provider();
  const seen = await provider.observe();
  world.arm.touch();
  await expect(provider.start(both, seen)).rejects.toMatchObject({ status: 409 });
  expect(world.arm.kubernetesVersion).toBe('1.30.9');
});

it('a control plane alone is refused while the cluster follows an auto-upgrade channel', async () => {
  world.arm.channel = 'stable';
  const of = operation({ type: 'ControlPlaneOnly', controlPlane: to });
  expect(await look(of)).toMatchObject({ phase: 'Failed', message: expect.stringContaining('channel stable') });
});

it('a stopped cluster is observed as stopped', async () => {
  world.arm.powerState = 'Stopped';
  expect((await world.provider().observe()).versions).toMatchObject({
    controlPlane: 'v1.30.9',
    region: 'westeurope',
    powerState: 'Stopped',
    lts: false,
  });
});

it('a pool that is made from a snapshot is observed as that', async () => {
  Object.assign(world.arm.pools[1]!, { creationData: { sourceResourceId: '/subscriptions/1/snapshots/s' } });
  const { pools } = (await world.provider().observe()).versions;
  expect(pools?.map(({ name, snapshot }) => [name, snapshot])).toEqual([
    ['np1', undefined],
    ['np2', true],
  ]);
});

it('signs in with the token of workload identity, read anew, and again after a 401', async () => {
  const path = join(folder(), 'token');
  writeFileSync(path, 'projected-1\n');
  const { http } = world.arm;
  const arm = resourceManager({ ...identity, proof: { kind: 'file', path } }, { clock: world.clock, http });
  const provider = aksProvider(arm, clusterPath);
  await provider.observe();
  await provider.observe();
  writeFileSync(path, 'projected-2');
  world.arm.token = 'token-2';
  await provider.observe();
  expect(world.arm.tokenForms.map((form) => Object.fromEntries(form))).toEqual(
    ['projected-1', 'projected-2'].map((assertion) => ({
      grant_type: 'client_credentials',
      client_id: identity.client,
      scope: 'https://management.azure.com/.default',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    })),
  );
});

it('a refused sign-in names its code, and never what was sent', async () => {
  const http = async () => answer(401, { error: 'invalid_client', error_description: 'a-client-secret is wrong' });
  const tokens = azureTokens(identity, { http, clock: world.clock });
  await expect(tokens.token()).rejects.toThrow(`sign in to Azure as ${identity.client}: 401, invalid_client`);
  await expect(tokens.token()).rejects.not.toThrow('a-client-secret');
});

it('a token is sent to Azure only: the URL of an operation elsewhere is not read', async () => {
  const provider = world.provider();
  const seen = await provider.observe();
  world.arm.next.push(answer(200, {}, { 'azure-asyncoperation': 'https://elsewhere.example/operations/1' }));
  await provider.start(both, seen);
  expect(await provider.poll(both, { ...seen, lastOperation: both.operationId })).toMatchObject({ phase: 'Running' });
});

it('the identity comes from the variables that workload identity sets', async () => {
  const env = { AZURE_TENANT_ID: 't', AZURE_CLIENT_ID: 'c', AZURE_FEDERATED_TOKEN_FILE: '/token' };
  expect(await azureIdentity(env)).toMatchObject({ tenant: 't', client: 'c', proof: { kind: 'file', path: '/token' } });
  expect(await azureIdentity({ ...env, AZURE_FEDERATED_TOKEN_FILE: '', AZURE_CLIENT_SECRET: 's' })).toMatchObject({
    proof: { kind: 'secret', secret: 's' },
  });
  expect(await azureIdentity({ AZURE_TENANT_ID: 't', AZURE_CLIENT_ID: 'c' })).toBeUndefined();
  await expect(azureIdentity({ ...env, AZURE_AUTHORITY_HOST: 'https://example.com/' })).rejects.toThrow('is no cloud');
});

it.each([
  ['fleet/eu-1', 'write the resource id'],
  [`${clusterPath}/../x`, 'write the resource id'],
  [`${clusterPath}?a=b`, 'write the resource id'],
])('the reference %s is refused', async (ref, message) => {
  const azure = resourceManager(identity, { clock: world.clock, http: world.arm.http });
  const open = upgradeProvidersOf({ azure });
  await expect(open({ provider: 'aks', ref }, {} as never)).rejects.toThrow(message);
});

it('without an identity the provider names what to set', async () => {
  await expect(upgradeProvidersOf()({ provider: 'aks', ref: clusterPath }, {} as never)).rejects.toThrow(
    'set AZURE_TENANT_ID, AZURE_CLIENT_ID',
  );
});
