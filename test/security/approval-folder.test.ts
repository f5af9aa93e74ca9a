import { afterEach, describe, expect, it } from 'vitest';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { treeOf } from '../support/paper-fleet.ts';
import { AttackedFleet, type Files, gate, gatedFleet } from './attacked-fleet.ts';

const config = (spec: string): string => `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: ${spec}\n`;
const secure = config('{approvals: {path: secure}}');

describe('an approval in the usual folder, where fleet.yaml names another,', () => {
  let world: AttackedFleet | undefined;
  afterEach(() => world?.close());

  const askedFor = async (): Promise<[path: string, text: string]> => {
    const asked = await world!.fleet.repo.files(gate);
    return Object.entries(asked).find(([path]) => path.startsWith('secure/'))!;
  };

  it.each<[what: string, files: Files, severity: string]>([
    ['alone', {}, 'error'],
    // What is wrong with fleet.yaml is an error by itself.
    ['with a file whose path differs from fleet.yaml only in case', { 'Fleet.yaml': '# nothing\n' }, 'info'],
    ['with a second FleetConfig', { 'a.yaml': config('{}') }, 'error'],
  ])('passes no gate, %s', async (_what, files, severity) => {
    world = await AttackedFleet.open({ ...gatedFleet('web:1'), 'fleet.yaml': secure });
    await world.untilGate();
    const [path, text] = await askedFor();
    world.fleet.commit({ ...files, 'approvals/x.yaml': text });
    await world.fleet.run(180);
    expect(world.images()).toEqual(['web:1', undefined, undefined]);
    const refused = { code: 'approval-outside-folder', severity, file: 'approvals/x.yaml' };
    const { problems } = world.daemon.plan();
    expect(problems).toContainEqual(expect.objectContaining(refused));
    expect(problems.map((problem) => problem.severity)).toContain('error');
    world.fleet.commit({ ...Object.fromEntries(Object.keys(files).map((name) => [name, undefined])), [path]: text });
    await world.fleet.until('the gate passes', () => world!.images()[1] === 'web:1', 300);
  });

  it('withdraws none that was given, as long as fleet.yaml is not in effect', async () => {
    world = await AttackedFleet.open({ ...gatedFleet('web:1'), 'fleet.yaml': secure });
    await world.untilGate();
    const [path, text] = await askedFor();
    world.fleet.commit({ [path]: text });
    await world.fleet.until('the gate passes', () => world!.images()[1] === 'web:1', 300);
    world.fleet.commit({ 'Fleet.yaml': '# nothing\n' });
    await world.fleet.until('both prod clusters run it', () => world!.images()[2] === 'web:1', 300);
  });
});

describe('approvals count nowhere', () => {
  const approval = `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterApprovalRequest
metadata: {name: web-1-after-canary, annotations: {gitfleet.dev/review: "sha256:abc"}}
spec: {parentStageRollout: web-1, targetStage: canary}
status: {conditions: [{type: Approved, status: "True", reason: x, lastTransitionTime: "2026-11-20T10:00:00Z"}]}
`;
  const load = (files: Files) =>
    loadFleet(treeOf({ 'approvals/x.yaml': approval, 'secure/y.yaml': approval.replace('web-1', 'web-2'), ...files }));

  it.each<[what: string, files: Files]>([
    ['collides', { 'fleet.yaml': secure, 'FLEET.yaml': secure }],
    ['is invalid', { 'fleet.yaml': secure.replace('secure', '[]') }],
    ['has another kind by mistake', { 'fleet.yaml': secure.replace('FleetConfig', 'FleetConfg') }],
    ['has another group by mistake', { 'fleet.yaml': secure.replace('gitfleet.dev', 'gitfleet.io') }],
    ['cannot be parsed', { 'fleet.yaml': `${secure}]` }],
  ])('while fleet.yaml %s, and none counts as removed', async (_what, files) => {
    const { approvals, refused, problems } = await load(files);
    expect(approvals).toEqual([]);
    expect(refused.map(({ kind }) => kind)).toContain('ClusterApprovalRequest');
    expect(problems.filter(({ code }) => code === 'approval-outside-folder')).toEqual(
      ['approvals/x.yaml', 'secure/y.yaml'].map((file) =>
        expect.objectContaining({
          file,
          severity: 'info',
          message: expect.stringContaining('no approval counts while fleet.yaml is not in effect'),
          fix: 'correct what is reported for fleet.yaml',
        }),
      ),
    );
  });

  it('but in the usual folder if fleet.yaml holds no FleetConfig, also where others are invalid', async () => {
    const others = { 'fleet.yaml': 'helm: {chart: ./web}\n', 'conf/fleet.yaml': secure.replace('secure', '[]') };
    expect((await load(others)).approvals).toHaveLength(1);
  });
});
