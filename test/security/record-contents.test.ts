import { afterEach, describe, expect, it } from 'vitest';
import type { Transport } from '../../src/members/api-server/transport.ts';
import { images, settledFleet, settles, smallFleet, web } from '../support/small-fleet.ts';
import type { VirtualDaemon, VirtualFleet } from '../support/virtual-fleet.ts';

let fleet: VirtualFleet;
let one: VirtualDaemon;
let sent: string[];
afterEach(() => fleet.close());

type Files = Record<string, string>;
type Attack = (files: Files) => void | Promise<void>;

const snapshot = 'placements/web/snapshots/0.yaml';
const state = 'placements/web/state.yaml';
const before = ['web:1', 'web:1', 'web:1'];

/** Remembers all that is sent to members. */
const through =
  (transport: Transport): Transport =>
  (request) => {
    if (request.body !== undefined) sent.push(String(request.body));
    return transport(request);
  };

const problemsOf = (daemon: VirtualDaemon) => daemon.plan().problems.filter(({ code }) => code === 'record-mismatch');

const withEvil: Attack = (files) => {
  files[snapshot] = files[snapshot]!.replaceAll('web:1', 'evil:1');
};
/** What a status would hold that was planned from `of`. */
async function statusOf(of: Files): Promise<Files> {
  const other = await settledFleet({}, of);
  const files = await other.fleet.repo.files('fleet-status');
  other.fleet.close();
  return files;
}
const evilFleet = (): Files => smallFleet('evil:1');

describe.each([
  ['while the daemon runs', false],
  ['while the daemon is stopped', true],
])('an edit of the status branch %s', (_, stopped) => {
  async function attacked(attack: Attack): Promise<VirtualDaemon> {
    sent = [];
    ({ fleet, one } = await settledFleet({ through }));
    if (stopped) one.kill();
    const files = await fleet.repo.files('fleet-status');
    await attack(files);
    fleet.repo.commit('fleet-status', files, 'Attack');
    const daemon = stopped ? fleet.start({ through }) : one;
    await fleet.run(60);
    expect(sent.filter((body) => body.includes('evil'))).toEqual([]);
    expect(images(fleet)).toEqual(before);
    return daemon;
  }

  async function converges(daemon: VirtualDaemon): Promise<void> {
    fleet.commit(web('web:2'));
    await settles(fleet, daemon);
    expect(images(fleet)).toEqual(['web:2', 'web:2', 'web:2']);
    expect(problemsOf(daemon)).toEqual([]);
    expect(sent.filter((body) => body.includes('evil'))).toEqual([]);
  }

  it('that changes the contents of a snapshot reaches no member, is reported and healed', async () => {
    const daemon = await attacked(withEvil);
    expect(problemsOf(daemon)).toMatchObject([{ severity: 'error', file: `(status branch) ${snapshot}` }]);
    const files = await fleet.repo.files('fleet-status');
    expect(files[snapshot]).toContain('web:1');
    expect(files[snapshot]).not.toContain('evil');
    expect(files['README.md']).toContain('its contents are not those of the followed branch');
    expect(daemon.metrics.render()).toContain('gitfleet_record_mismatch_total 1');
    await converges(daemon);
  });

  it('that changes contents and the hash with them reaches no member', async () => {
    const daemon = await attacked(async (files) => {
      const evil = await statusOf(evilFleet());
      files[snapshot] = evil[snapshot]!;
      files[state] = evil[state]!.replaceAll(/commit: [0-9a-f]+/g, `commit: ${fleet.repo.tip('main')}`);
    });
    expect(
      problemsOf(daemon)
        .map(({ message }) => message)
        .join(),
    ).toContain('the followed branch had something else');
    await converges(daemon);
  });

  it('that names a commit of a branch that was not merged reaches no member', async () => {
    const daemon = await attacked(async (files) => {
      fleet.repo.commit('pull-request', evilFleet(), 'Propose', [fleet.repo.tip('main')!]);
      const proposed = fleet.repo.tip('pull-request')!;
      const evil = await statusOf(evilFleet());
      files[snapshot] = evil[snapshot]!;
      files[state] = evil[state]!.replaceAll(/commit: [0-9a-f]+/g, `commit: ${proposed}`);
    });
    expect(
      problemsOf(daemon)
        .map(({ message }) => message)
        .join(),
    ).toContain('is not in the history of the followed branch');
    await converges(daemon);
  });

  it('that names such a commit as the one in effect is not followed there', async () => {
    const daemon = await attacked(async (files) => {
      fleet.repo.commit('pull-request', evilFleet(), 'Propose', [fleet.repo.tip('main')!]);
      const proposed = fleet.repo.tip('pull-request')!;
      const evil = await statusOf(evilFleet());
      for (const [path, text] of Object.entries(evil)) files[path] = text.replaceAll(/[0-9a-f]{40}/g, proposed);
    });
    if (stopped) expect(daemon.plan().problems.map(({ code }) => code)).toContain('rewound');
    else await converges(daemon);
  });

  it('that removes the contents is healed', async () => {
    const daemon = await attacked((files) => {
      delete files[snapshot];
    });
    expect((await fleet.repo.files('fleet-status'))[snapshot]).toContain('web:1');
    await converges(daemon);
  });
});

it('is reported until the next commit, also by a daemon that started later', async () => {
  ({ fleet, one } = await settledFleet());
  const files = await fleet.repo.files('fleet-status');
  await withEvil(files);
  fleet.repo.commit('fleet-status', files, 'Attack');
  await fleet.run(60);
  const two = fleet.start();
  await fleet.run(60);
  const tip = fleet.repo.tip('fleet-status');
  await fleet.run(120);
  expect(fleet.repo.tip('fleet-status')).toBe(tip);
  for (const daemon of [one, two]) expect(problemsOf(daemon)).toHaveLength(1);
  fleet.commit(web('web:2'));
  await settles(fleet, two);
  for (const daemon of [one, two]) expect(problemsOf(daemon)).toEqual([]);
});
