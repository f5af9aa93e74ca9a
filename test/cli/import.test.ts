import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { folder, removeFolders } from '../support/folders.ts';
import { cli } from '../support/run-cli.ts';

afterAll(removeFolders);

const fleet = '/subscriptions/1/resourceGroups/g/providers/Microsoft.ContainerService/fleets/f';
const importing = (document: unknown) =>
  cli('import', 'azure-fleet', join(folder({ 'a.json': JSON.stringify(document) }), 'a.json'));

/** As `az fleet updatestrategy show` prints one. */
const strategy = {
  eTag: '"1"',
  id: `${fleet}/updateStrategies/test-then-prod`,
  name: 'test-then-prod',
  provisioningState: 'Succeeded',
  resourceGroup: 'g',
  strategy: {
    stages: [
      {
        afterGates: null,
        afterStageWaitInSeconds: 3600,
        beforeGates: [{ displayName: 'go', type: 'Approval' }],
        groups: [{ afterGates: null, beforeGates: null, name: 'canary' }],
        name: 'test',
      },
    ],
  },
  systemData: null,
  type: 'Microsoft.ContainerService/fleets/updateStrategies',
};

it('a strategy as the Azure CLI shows it', async () => {
  expect(await importing(strategy)).toEqual({
    code: 0,
    err: '',
    out: `apiVersion: gitfleet.dev/v1alpha1
kind: UpdateStrategy
metadata:
  name: test-then-prod
spec:
  strategy:
    stages:
      - afterStageWaitInSeconds: 3600
        beforeGates:
          - displayName: go
            type: Approval
        groups:
          - name: canary
        name: test
`,
  });
});

it('a run, stopped, with its copy of the strategy, and a profile, as the REST API answers', async () => {
  const run = {
    id: `${fleet}/updateRuns/k8s-1-31`,
    name: 'k8s-1-31',
    properties: {
      provisioningState: 'Succeeded',
      updateStrategyId: strategy.id,
      strategy: { stages: [{ name: 'test', groups: [{ name: 'canary' }] }] },
      managedClusterUpdate: {
        upgrade: { type: 'Full', kubernetesVersion: '1.31.5' },
        nodeImageSelection: { type: 'Latest', customNodeImageVersions: [] },
      },
      status: { status: { state: 'NotStarted' } },
    },
  };
  const profile = {
    id: `${fleet}/autoUpgradeProfiles/stable`,
    name: 'stable',
    properties: { channel: 'Stable', disabled: false, updateStrategyId: strategy.id, autoUpgradeProfileStatus: {} },
  };
  expect(await importing({ value: [run, profile] })).toEqual({
    code: 0,
    err: `note: UpdateRun k8s-1-31: it is Stopped: remove state to start it
note: UpdateRun k8s-1-31: it has the strategy that was copied from test-then-prod, not its name
`,
    out: `apiVersion: gitfleet.dev/v1alpha1
kind: UpdateRun
metadata:
  name: k8s-1-31
spec:
  strategy:
    stages:
      - name: test
        groups:
          - name: canary
  managedClusterUpdate:
    upgrade:
      type: Full
      kubernetesVersion: 1.31.5
    nodeImageSelection:
      type: Latest
  state: Stopped
---
apiVersion: gitfleet.dev/v1alpha1
kind: AutoUpgradeProfile
metadata:
  name: stable
spec:
  updateStrategyId: test-then-prod
  channel: Stable
  disabled: false
`,
  });
});

it('maintenance configurations of a cluster; default is refused', async () => {
  const configuration = (name: string) => ({
    id: `/subscriptions/1/resourcegroups/g/providers/Microsoft.ContainerService/managedClusters/eu-1/maintenanceConfigurations/${name}`,
    maintenanceWindow: {
      durationHours: 6,
      notAllowedDates: null,
      schedule: {
        absoluteMonthly: null,
        daily: null,
        relativeMonthly: null,
        weekly: { dayOfWeek: 'Saturday', intervalWeeks: 1 },
      },
      startDate: '2026-01-01',
      startTime: '01:00',
      utcOffset: '+02:00',
    },
    name,
    notAllowedTime: null,
    timeInWeek: null,
    type: null,
  });
  const { code, out, err } = await importing(['aksManagedAutoUpgradeSchedule', 'default'].map(configuration));
  expect(code).toBe(2);
  expect(err).toBe(
    "error: MaintenanceConfiguration eu-1-default: spec.configurationName: default governs Azure's own weekly releases, which no update run starts; write aksManagedAutoUpgradeSchedule or aksManagedNodeOSUpgradeSchedule, or remove it for both\n",
  );
  expect(out.split('\n---\n')[0]).toBe(`apiVersion: gitfleet.dev/v1alpha1
kind: MaintenanceConfiguration
metadata:
  name: eu-1-aksmanagedautoupgradeschedule
spec:
  clusterName: eu-1
  configurationName: aksManagedAutoUpgradeSchedule
  maintenanceWindow:
    durationHours: 6
    schedule:
      weekly:
        dayOfWeek: Saturday
        intervalWeeks: 1
    startDate: 2026-01-01
    startTime: 01:00
    utcOffset: +02:00`);
});

it('a member of the fleet, with its group as a label; a list without objects', async () => {
  const cluster = '/subscriptions/1/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/eu-1';
  const member = {
    clusterResourceId: cluster,
    eTag: '"1"',
    group: 'europe',
    id: `${fleet}/members/eu-1`,
    labels: { env: 'prod' },
    name: 'eu-1',
    provisioningState: 'Succeeded',
    resourceGroup: 'g',
    status: { lastOperationError: null, lastOperationId: null },
    systemData: null,
    type: 'Microsoft.ContainerService/fleets/members',
  };
  const bare = { ...member, clusterResourceId: '/subscriptions/1/x', group: '', labels: null, name: 'arc-1' };
  expect(await importing([member, bare])).toEqual({
    code: 0,
    err: `note: MemberCluster eu-1: name its context or kubeconfig file eu-1
note: MemberCluster arc-1: name its context or kubeconfig file arc-1
note: MemberCluster arc-1: it is no AKS cluster: annotate it with its upgrade provider
`,
    out: `apiVersion: cluster.kubernetes-fleet.io/v1
kind: MemberCluster
metadata:
  name: eu-1
  labels:
    env: prod
    gitfleet.dev/update-group: europe
  annotations:
    gitfleet.dev/upgrade-provider: aks
    gitfleet.dev/upgrade-ref: ${cluster}
---
apiVersion: cluster.kubernetes-fleet.io/v1
kind: MemberCluster
metadata:
  name: arc-1
`,
  });
  expect(await importing([])).toEqual({
    code: 0,
    out: '',
    err: expect.stringContaining('holds no objects, so there is nothing to import'),
  });
});

it('a default maintenance configuration that has timeInWeek only is refused, and says so', async () => {
  const { code, out, err } = await importing({
    id: '/subscriptions/1/resourcegroups/g/providers/Microsoft.ContainerService/managedClusters/eu-1/maintenanceConfigurations/default',
    maintenanceWindow: null,
    name: 'default',
    notAllowedTime: null,
    timeInWeek: [{ day: 'Monday', hourSlots: [1, 2] }],
    type: null,
  });
  expect([code, out.trim()]).toEqual([2, '']);
  expect(err).toContain(
    "object 1: it is the maintenance configuration default of eu-1 with timeInWeek only, which governs Azure's own weekly releases and no update run; give aksManagedAutoUpgradeSchedule or aksManagedNodeOSUpgradeSchedule a maintenanceWindow\n",
  );
});

it('an object of another kind, text that is not JSON, another source', async () => {
  expect(await importing({ name: 'eu-1', type: 'Microsoft.ContainerService/managedClusters' })).toMatchObject({
    code: 2,
    err: expect.stringContaining('object 1: it is no update strategy'),
  });
  const file = join(folder({ 'a.json': 'name: a' }), 'a.json');
  expect(await cli('import', 'azure-fleet', file)).toMatchObject({ code: 2, err: expect.stringContaining('not JSON') });
  expect(await cli('import', 'azure', file)).toMatchObject({ code: 2, err: expect.stringContaining('azure-fleet') });
});
