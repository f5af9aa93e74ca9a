import { afterAll, beforeAll, expect, it } from 'vitest';
import { upgradeMember } from '../../support/cluster-upgrades.ts';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { removeFolders } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';

afterAll(removeFolders);

const own = (kind: string, name: string, spec: object): Record<string, string> => ({
  [`settings/${kind}.yaml`]: JSON.stringify({ apiVersion: 'gitfleet.dev/v1alpha1', kind, metadata: { name }, spec }),
});
const catalog = (...versions: readonly object[]) =>
  own('VersionCatalog', 'all', {
    releaseTracker: 'https://releases.example',
    regions: [
      { name: 'eu', kubernetesVersions: versions, nodeImageVersions: [{ version: 'AKSUbuntu-2204-202601.27.0' }] },
    ],
  });
const old = { version: '1.31.5', released: '2026-11-03', endOfSupport: '2027-02-28', lts: true };

let dir = '';
beforeAll(async () => {
  const fleet = await FleetOnGit.open({
    ...upgradeMember('eu-1', { env: 'prod', 'topology.kubernetes.io/region': 'eu' }),
    ...upgradeMember('eu-2', { env: 'dev', 'topology.kubernetes.io/region': 'eu' }),
    ...catalog(old),
    ...own('AutoUpgradeProfile', 'rapid', { channel: 'Rapid' }),
    ...own('MaintenanceConfiguration', 'weekends', {
      memberSelector: { byLabel: 'env=prod' },
      configurationName: 'aksManagedAutoUpgradeSchedule',
      maintenanceWindow: {
        schedule: { weekly: { intervalWeeks: 2, dayOfWeek: 'Saturday' } },
        startDate: '2026-01-01',
        startTime: '01:00',
        durationHours: 6,
        timeZone: 'Europe/Berlin',
        notAllowedDates: [{ start: '2026-12-19', end: '2027-01-06' }],
      },
    }),
  });
  await fleet.pass();
  fleet.commit(catalog(old, { version: '1.32.1' }), 'Kubernetes 1.32.1 is out');
  await fleet.pass();
  dir = fleet.dir;
});

const shown = async (...words: string[]): Promise<string> => (await cli(...words, '--repo', dir)).out;

it('describe maintenanceconfiguration: for whom, for which upgrades, when, and the next windows', async () => {
  const [head, next] = (await shown('describe', 'maintenanceconfiguration', 'weekends')).split('Next windows:');
  expect(next).toMatch(/^\n {2}OPENS +CLOSES\n( {2}\S+T00:00:00Z +\S+T06:00:00Z\n|.*T23:00:00Z +\S+T05:00:00Z\n){5}$/);
  expect(`\n${head}`).toMatchInlineSnapshot(`
    "
    Name:      weekends
    Kind:      MaintenanceConfiguration
    For:       clusters with env=prod
    Clusters:  eu-1
    Upgrades:  Kubernetes versions
    Opens:     Saturday every 2 weeks at 01:00 Europe/Berlin
    Lasts:     6 hours
    Since:     2026-01-01
    Not on:    2026-12-19 to 2027-01-06

    "
  `);
  expect(await shown('get', 'maintenanceconfigurations')).toMatch(/weekends +1 +Kubernetes versions +Saturday every 2/);
});
it('describe versioncatalog: what is where, until when', async () => {
  expect(`\n${await shown('describe', 'versioncatalog', 'all')}`).toMatchInlineSnapshot(`
    "
    Name:             all
    Kind:             VersionCatalog
    Provider:         any
    Release tracker:  https://releases.example

    Region eu:
      KUBERNETES   RELEASED     END-OF-SUPPORT   NOTE
      1.31.5       2026-11-03   2027-02-28       long-term support
      1.32.1       <none>       <none>           <none>
      
      NODE-IMAGE                   RELEASED
      AKSUbuntu-2204-202601.27.0   <none>
    "
  `);
  expect(await shown('get', 'versioncatalogs')).toMatch(/all +any +1 +v1\.32\.1/);
});
it('describe profile: what it follows, what it proposes and how to approve that', async () => {
  const text = await shown('describe', 'profile', 'rapid');
  expect(`\n${text.slice(0, text.indexOf('Events:'))}`).toMatchInlineSnapshot(`
    "
    Name:          rapid
    Kind:          AutoUpgradeProfile
    Channel:       Rapid
    Images:        Latest
    Strategy:      one by one
    Disabled:      false
    Seen:          1.32.1
    Proposed:      1.32.1
    Last trigger:  2026-11-20T10:00:10Z, Succeeded: Kubernetes 1.32.1 appeared; run rapid-1-32-1 was proposed

    Waits for:
      approval of run rapid-1-32-1: merge branch gitfleet/approve/rapid-1-32-1, or its pull request

    To approve:
      git merge --no-ff --no-edit gitfleet/approve/rapid-1-32-1

    "
  `);
  expect(await shown('get', 'autoupgradeprofiles')).toMatch(/rapid +Rapid +one by one +false +1\.32\.1 +1\.32\.1/);
});
it('get and describe approvals: a proposed run, what it brings and how to start it', async () => {
  expect(await shown('get', 'approvals', '-o', 'wide')).toMatch(
    /rapid-1-32-1 .*run .*Kubernetes 1\.32\.1, control plane and nodes/,
  );
  const text = await shown('describe', 'approval', 'rapid-1-32-1');
  expect(`\n${text.slice(0, text.indexOf('Events:'))}`).toMatchInlineSnapshot(`
    "
    Name:      rapid-1-32-1
    Kind:      UpdateRun
    Profile:   rapid
    Because:   Kubernetes 1.32.1 appeared; run rapid-1-32-1 was proposed
    Brings:    Kubernetes 1.32.1, control plane and nodes
    Strategy:  one by one
    Decision:  none yet

    How to approve or reject:
      approve:  gitfleet approve rapid-1-32-1
                or merge branch gitfleet/approve/rapid-1-32-1; in the repo:
                git merge --no-ff --no-edit gitfleet/approve/rapid-1-32-1
      reject:   do nothing: the run starts once its file is merged"
  `);
});
