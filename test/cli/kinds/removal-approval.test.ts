import { afterEach, describe, expect, it } from 'vitest';
import type { ClusterName } from '../../../src/api/meta.ts';
import { approvals } from '../../../src/cli/kinds/approvals/approvals.ts';
import { removalPage } from '../../../src/cli/kinds/approvals/removal-pages.ts';
import type { Status, StatusReader } from '../../../src/cli/status/open-status.ts';
import type { Hold } from '../../../src/engine/plan-document.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import { removalsToApprove } from '../../../src/repo/record/removals-to-approve.ts';
import { removalPage as requestPage } from '../../../src/report/approval/removal-page.ts';
import { images, names, settledFleet, settles, smallFleet } from '../../support/small-fleet.ts';
import type { VirtualDaemon, VirtualFleet } from '../../support/virtual-fleet.ts';
import { statusWith } from './world.ts';

describe('describe removal approval', () => {
  const hold = {
    name: 'removal-12',
    removalDigest: 'sha256:1234',
    messages: ['Namespace web holds theirs'],
    rules: ['ContainsForeignObjects'],
  };

  it.each([
    [true, ['in the repo:', 'git merge --no-ff --no-edit gitfleet/approve/removal-12']],
    [false, ['in a clone:', 'git pull && git merge --no-ff --no-edit origin/gitfleet/approve/removal-12 && git push']],
  ])('shows what would be removed and how to approve it; in place: %s', (inPlace, [where, command]) => {
    expect(removalPage(hold, { ...statusWith([]), inPlace }).join('\n\n')).toBe(`Name:      removal-12
Kind:      RemovalApproval
Decision:  none yet
Allows:    one removal
Digest:    sha256:1234

Held because:
  ContainsForeignObjects: Namespace web holds theirs

How to approve or reject:
  approve:  gitfleet approve removal-12
            or merge branch gitfleet/approve/removal-12; ${where}
            ${command}
            or commit approvals/removal-12.yaml:
              apiVersion: gitfleet.dev/v1alpha1
              kind: RemovalApproval
              metadata:
                name: removal-12
              spec:
                removalDigest: sha256:1234
  reject:   revert the commit that removes them`);
  });

  it('counts what it does not name', () => {
    const many = Array.from({ length: 20 }, (_, at) => `c${at}`);
    const page = requestPage(
      {
        ...hold,
        commit: 'c'.repeat(40),
        removed: { objects: 900, clusters: 300 },
        released: { objects: 1, clusters: 1 },
        changes: [
          {
            action: 'remove',
            placement: 'shop/web',
            objects: ['apps/v1/Deployment shop/web', 'v1/Namespace shop', 'v1/ConfigMap shop/a'],
            clusters: many,
            count: { objects: 3, clusters: 300 },
          },
          { action: 'release', placement: 'log', objects: [''], clusters: ['c0'], count: { objects: 1, clusters: 1 } },
        ],
      },
      { problems: [] },
    );
    expect(page.title).toBe('Approve removals: 900 objects from 300 clusters, 1 object released on 1 cluster');
    const lines = page.sections.flatMap(({ rows }) => (rows.kind === 'list' ? rows.items : []));
    expect(lines.map(({ line }) => line.join(''))).toEqual([
      'shop/web: 3 objects removed from 300 clusters (c0, c1, c2, c3, c4, c5, c6, c7, c8, c9 and 290 more): Deployment shop/web, Namespace shop, ConfigMap shop/a',
      'log: objects stay and are no longer managed, on 1 cluster (c0): all objects, which are not recorded',
      'ContainsForeignObjects: Namespace web holds theirs',
    ]);
  });
});

it('a removal with contents of others lists what goes with it, under a title that is never cut in a word', () => {
  const contents = Array.from({ length: 10 }, (_, at) => `ConfigMap web/settings-${at}`).join(', ');
  const message = `Namespace web holds 12 object(s) that are not of this placement: ${contents} and 2 more`;
  const ask = (removes?: Hold['removes']) =>
    removalsToApprove({
      guard: [],
      commit: 'c'.repeat(40),
      holds: [
        {
          subject: { kind: 'ClusterResourcePlacement', name: 'one', clusterName: 'b' as ClusterName },
          reason: 'ContainsForeignObjects',
          message,
          removalDigest: 'sha256:1234',
          ...(removes && { removes }),
        },
      ],
    })[0]!;
  const asked = ask({ objects: ['v1/Namespace web'], contents: [message], count: 1 });
  const page = requestPage(asked, { problems: [] });
  expect(page.title).toBe('Approve removals: 1 Namespace with everything in it, also of others, from 1 cluster');
  expect(page.sections.find(({ title }) => title === 'Removals')?.rows).toMatchObject({
    items: [
      { line: ['one: 1 object removed from 1 cluster (b): Namespace web'] },
      { line: [`with everything in it: ${message}`] },
    ],
  });
  expect(removalPage(asked, { ...statusWith([]), inPlace: true }).join('\n\n')).toContain(`Removals:
  one: 1 object removed from 1 cluster (b): Namespace web
  with everything in it: Namespace web holds 12`);
  // As an older daemon recorded it.
  const { title } = requestPage(ask(), { problems: [] });
  expect(title.length).toBeLessThanOrEqual(200);
  expect(title).toMatch(/ ConfigMap(?: web\/settings-\d)?…$/);
});

describe('an approval of a removal, as a daemon records it', () => {
  let fleet: VirtualFleet;
  let one: VirtualDaemon;
  afterEach(() => fleet.close());

  /** The page of the only removal, its text for the table, and the name. */
  async function described() {
    const read = readRecord(new Map(Object.entries(await fleet.repo.files('fleet-status'))));
    const status: Status = { ...statusWith([]), ...read };
    const reader = { branches: fleet.repo.branches() } as unknown as StatusReader;
    const row = (await approvals.rows(status, reader)).find(({ name }) => name.startsWith('removal-'));
    const cells = new Map(row?.cells.map(({ heading, cell }) => [heading, cell]));
    return { name: row?.name, cells, page: row && (await row.page(status)).join('\n\n') };
  }

  async function refused(): Promise<void> {
    ({ fleet, one } = await settledFleet({}, smallFleet()));
    fleet.commit({ 'placements/web.yaml': undefined });
    await fleet.until('it is refused', () => one.plan().guard.length > 0, 300);
    await fleet.run(60);
  }

  async function approve(name: string): Promise<void> {
    const asked = await fleet.repo.files(`gitfleet/approve/${name}`);
    fleet.commit(Object.fromEntries(Object.entries(asked).filter(([path]) => path.startsWith('approvals/'))));
  }

  it('names the rule, what leaves which clusters and the refused commit, then who approved and whether it was used', async () => {
    await refused();
    const before = await described();
    expect(before.page).toContain(
      `Decision:  none yet\nRefused:   commit ${fleet.repo.tip('main')}, as a whole\nAllows:    6 objects from 3 clusters\n`,
    );
    expect(before.page).toContain(`Removals:
  web: 2 objects removed from 3 clusters (a, b, c): Deployment web/web, Namespace web

Refused because:
  everything-vanished: all placements were removed from the repo in one commit`);
    expect(one.plan().removals).toEqual([
      {
        action: 'remove',
        placement: 'web',
        objects: ['apps/v1/Deployment web/web', 'v1/Namespace web'],
        clusters: [...names],
      },
    ]);

    await approve(before.name!);
    await fleet.until('it is removed', () => images(fleet).every((image) => image === undefined), 300);
    await settles(fleet, one);
    const after = await described();
    expect(after.name).toBe(before.name);
    expect(after.page).toMatch(
      /Decision: {3}approved by Ann in commit \w{7}\nDecided: {4}\S+Z\nUsed: {7}since \S+Z, by the plan of commit \w{40}\nUnder way: {2}none: all of it is done\nDigest: {5}sha256:/,
    );
    expect([after.cells.get('APPROVED'), after.cells.get('TYPE')]).toEqual(['True', 'removal']);
    expect(one.plan().problems).toEqual([]);
  });

  it('that fits no removal, or none any more, is a problem', async () => {
    await refused();
    const { name } = await described();
    await approve(name!);
    // In the same commit as what it approves is taken back, as far as the daemon sees.
    fleet.commit({ 'placements/web.yaml': smallFleet()['placements/web.yaml'] });
    await settles(fleet, one);
    const found = () =>
      one
        .plan()
        .problems.filter(({ code }) => code !== 'zero-budget')
        .map(({ code, severity, message }) => `${severity} ${code} ${message}`);
    expect(found()).toEqual([
      `warning unused-approval RemovalApproval ${name}: it allows nothing: the removal that it was requested for is not planned now`,
    ]);
    const { page } = await described();
    expect(page).toContain('Used:      no\n');
    expect(page).toContain('Problem:\n  it allows nothing: the removal');

    fleet.commit({
      [`approvals/${name}.yaml`]: undefined,
      'approvals/other.yaml':
        'apiVersion: gitfleet.dev/v1alpha1\nkind: RemovalApproval\nmetadata: {name: other}\nspec: {removalDigest: "sha256:12"}\n',
    });
    await settles(fleet, one);
    await fleet.run(60);
    expect(found()).toEqual([
      'warning unused-approval RemovalApproval other: it allows nothing: no removal that is refused or held has its digest',
    ]);
  });
});
