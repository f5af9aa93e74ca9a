import { describe, expect, it } from 'vitest';
import type { ApplyStrategy } from '../../../src/api/placement.ts';
import { assignment, configMap, openWorld, type World } from '../../support/member-world.ts';

const path = '/api/v1/namespaces/default/configmaps/a';
const owner = [{ apiVersion: 'example.com/v1', kind: 'Shop', name: 'main', uid: '1' }];
const label = (placement: string) => ({ 'gitfleet.dev/placement': placement });
type Metadata = { labels?: Record<string, string>; ownerReferences?: typeof owner };

/** A placement with an object that exists on the member, with the colour blue where it wants red. */
async function meeting(metadata: Metadata, strategy: Partial<ApplyStrategy>, color = 'blue'): Promise<World> {
  const world = await openWorld();
  const { name } = configMap('a').metadata;
  await world.user('POST', '/api/v1/namespaces/default/configmaps', {
    ...configMap('a', { color }),
    metadata: { name, ...metadata },
  });
  world.sent();
  world.member.assign([
    {
      ...assignment('web', [configMap('a', { color: 'red' })], { strategy }),
      isPlaced: (value) => ['web', 'other'].includes(value),
    },
  ]);
  await world.pass(2);
  return world;
}

const isOurs = async (world: World): Promise<boolean> => {
  const { metadata, data } = (await world.user('GET', path)) as { metadata: Metadata; data: object };
  return metadata.labels?.['gitfleet.dev/placement'] === 'web' && JSON.stringify(data) === '{"color":"red"}';
};

const details = [{ path: '/data/color', valueInMember: 'blue', valueInHub: 'red', manager: 'kubectl-edit' }];
const taken = undefined;
const owned = 'the object is owned by Shop main; set allowCoOwnership: true to share it';
const elsewhere = 'the object is already placed by other: two placements may not share an object';
const never = 'the object exists on the member and whenToTakeOver is Never';
const neverOther = 'the object exists on the member for placement other and whenToTakeOver is Never';
const differs = 'the object on the member differs and whenToTakeOver is IfNoDiff';

describe('an object that exists on the member', () => {
  it.each<[string, Metadata, Partial<ApplyStrategy>, object | undefined]>([
    ['is taken over', {}, {}, taken],
    ['with another owner is not', { ownerReferences: owner }, {}, { result: 'FailedToTakeOver', message: owned }],
    ['with another owner is, with allowCoOwnership', { ownerReferences: owner }, { allowCoOwnership: true }, taken],
    ['of another placement is not', { labels: label('other') }, {}, { result: 'FailedToTakeOver', message: elsewhere }],
    [
      'of another placement is not, whoever may share',
      { labels: label('other') },
      { allowCoOwnership: true },
      { result: 'FailedToTakeOver', message: elsewhere },
    ],
    ['of a placement that does not exist is taken over', { labels: label('gone') }, {}, taken],
    [
      'that differs is not taken under IfNoDiff',
      {},
      { whenToTakeOver: 'IfNoDiff' },
      { result: 'FailedToTakeOver', message: differs, details },
    ],
    [
      'that differs is not taken under IfNoDiff, compared in full',
      {},
      { whenToTakeOver: 'IfNoDiff', comparisonOption: 'FullComparison' },
      { result: 'FailedToTakeOver', message: differs, details },
    ],
    ['is not taken under Never', {}, { whenToTakeOver: 'Never' }, { result: 'NotTakenOver', message: never }],
    [
      'of another placement is not taken under Never',
      { labels: label('other') },
      { whenToTakeOver: 'Never' },
      { result: 'NotTakenOver', message: neverOther },
    ],
    [
      'of a placement that is no more is not taken under Never',
      { labels: label('gone') },
      { whenToTakeOver: 'Never' },
      { result: 'NotTakenOver', message: never },
    ],
    [
      'is taken over by ServerSideApply with force',
      {},
      { type: 'ServerSideApply', serverSideApplyConfig: { force: true } },
      taken,
    ],
    [
      'is not by ServerSideApply without force, where managers conflict',
      {},
      { type: 'ServerSideApply' },
      {
        result: 'ManifestApplyFailed',
        message:
          'apply ConfigMap default/a on eu-1: 409, field .data.color is owned by kubectl-edit: set serverSideApplyConfig.force: true to take it over, or make kubectl-edit release it',
      },
    ],
    ['is only compared under ReportDiff', {}, { type: 'ReportDiff' }, { result: 'FoundDiff', details }],
    [
      'is compared under ReportDiff also with Never',
      {},
      { type: 'ReportDiff', whenToTakeOver: 'Never' },
      { result: 'FoundDiff', details },
    ],
    [
      'is reported to differ under ReportDiff with IfNoDiff',
      {},
      { type: 'ReportDiff', whenToTakeOver: 'IfNoDiff' },
      { result: 'FailedToTakeOver', message: differs, details },
    ],
    [
      'of the placement that others own too is compared under ReportDiff',
      { labels: label('web'), ownerReferences: owner },
      { type: 'ReportDiff' },
      { result: 'FoundDiff', details },
    ],
    [
      'of another placement is reported as such under ReportDiff',
      { labels: label('other') },
      { type: 'ReportDiff' },
      { result: 'FailedToTakeOver', message: elsewhere },
    ],
    [
      'with another owner is reported as such under ReportDiff',
      { ownerReferences: owner },
      { type: 'ReportDiff' },
      { result: 'FailedToTakeOver', message: owned },
    ],
    [
      'with another owner is compared under ReportDiff when they may share',
      { ownerReferences: owner },
      { type: 'ReportDiff', allowCoOwnership: true },
      { result: 'FoundDiff', details },
    ],
    [
      'with another owner is compared under ReportDiff also with Never',
      { ownerReferences: owner },
      { type: 'ReportDiff', whenToTakeOver: 'Never' },
      { result: 'FoundDiff', details },
    ],
    [
      'of ours with another owner is compared under ReportDiff, share or not',
      { labels: label('web'), ownerReferences: owner },
      { type: 'ReportDiff' },
      { result: 'FoundDiff', details },
    ],
    [
      'of ours with another owner is compared under ReportDiff also with IfNoDiff',
      { labels: label('web'), ownerReferences: owner },
      { type: 'ReportDiff', whenToTakeOver: 'IfNoDiff' },
      { result: 'FoundDiff', details },
    ],
    [
      'of ours with another owner is not applied',
      { labels: label('web'), ownerReferences: owner },
      {},
      {
        result: 'ManifestApplyFailed',
        message: 'the object is also owned by Shop main; set allowCoOwnership: true to share it',
      },
    ],
  ])('%s', async (_, metadata, strategy, refused) => {
    const world = await meeting(metadata, strategy);
    const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' };
    expect(world.results().map(({ observedGeneration: _g, ...rest }) => rest)).toEqual(
      refused === taken ? [] : [{ object, ...refused }],
    );
    expect(await isOurs(world)).toBe(refused === taken);
  });

  it('without differences is taken under IfNoDiff', async () => {
    expect(await isOurs(await meeting({}, { whenToTakeOver: 'IfNoDiff' }, 'red'))).toBe(true);
  });

  it('is never written under ReportDiff', async () => {
    const world = await meeting({}, { type: 'ReportDiff' });
    await world.pass(600);
    expect(new Set(world.sent())).toEqual(new Set(['GET configmaps/a', 'PATCH dry configmaps/a']));
  });

  it.each<[string, Partial<ApplyStrategy>, string]>([
    ['is compared', { type: 'ReportDiff' }, 'FoundDiff'],
    ['is not taken under IfNoDiff', { whenToTakeOver: 'IfNoDiff' }, 'FailedToTakeOver'],
  ])(
    'and %s is looked at anew each time, since no watch tells of it, and is not shown as ours',
    async (_, strategy, result) => {
      const world = await meeting({}, strategy);
      for (const color of ['green', 'yellow']) {
        await world.user('PATCH', path, { data: { color } });
        await world.pass(600);
        expect(world.results()).toMatchObject([{ result, details: [{ ...details[0], valueInMember: color }] }]);
      }
      expect(world.observation().objects).toEqual([]);
    },
  );

  it('is taken under IfNoDiff once it has no differences', async () => {
    const world = await meeting({}, { whenToTakeOver: 'IfNoDiff' });
    for (const color of ['green', 'red']) {
      await world.user('PATCH', path, { data: { color } });
      await world.pass(600);
    }
    expect(await isOurs(world)).toBe(true);
  });

  it('is taken over without force when its only owner is the one from before managedFields', async () => {
    const world = await openWorld();
    await world.user(
      'POST',
      '/api/v1/namespaces/default/configmaps',
      { ...configMap('a', { color: 'blue' }), metadata: { name: 'a' } },
      'before-first-apply',
    );
    world.member.assign([
      assignment('web', [configMap('a', { color: 'red' })], { strategy: { type: 'ServerSideApply' } }),
    ]);
    await world.pass(2);
    expect(await isOurs(world)).toBe(true);
  });
});

describe('an object of ours', () => {
  it('that gets other owners is no longer applied, unless co-ownership is allowed', async () => {
    for (const allowCoOwnership of [false, true]) {
      const world = await meeting({}, { allowCoOwnership });
      await world.user('PATCH', path, { metadata: { ownerReferences: owner }, data: { color: 'blue' } });
      await world.pass(30);
      expect(world.results()).toMatchObject(
        allowCoOwnership
          ? [{ result: 'Applied', details }]
          : [
              {
                result: 'ManifestApplyFailed',
                message: 'the object is also owned by Shop main; set allowCoOwnership: true to share it',
              },
            ],
      );
      expect(await isOurs(world)).toBe(allowCoOwnership);
    }
  });

  it('that gets other owners is reported without any other change, until they release it', async () => {
    const world = await meeting({}, {});
    await world.user('PATCH', path, { metadata: { ownerReferences: owner } });
    await world.pass(1);
    expect(world.results()).toMatchObject([
      {
        result: 'ManifestApplyFailed',
        message: 'the object is also owned by Shop main; set allowCoOwnership: true to share it',
      },
    ]);
    await world.user('PATCH', path, { metadata: { ownerReferences: null } });
    await world.pass(1);
    expect(world.results()).toEqual([]);
  });

  /** Changes the object before each request with a resourceVersion. */
  async function raced(strategy: Partial<ApplyStrategy>): Promise<{ world: World; locked: boolean[] }> {
    const locked: boolean[] = [];
    let racing = false;
    const world = await openWorld(
      {},
      {
        intercept({ method, path: at, body }) {
          if (!racing || method !== 'PATCH' || at.includes('dryRun')) return undefined;
          const isLocked = JSON.parse(body ?? '{}').metadata.resourceVersion !== undefined;
          locked.push(isLocked);
          return isLocked ? { status: 409, body: conflict } : undefined;
        },
      },
    );
    world.member.assign([assignment('web', [configMap('a', { color: 'blue' })], { strategy })]);
    await world.pass(1);
    racing = true;
    world.member.assign([assignment('web', [configMap('a', { color: 'red' })], { strategy })]);
    await world.pass(1);
    return { world, locked };
  }
  const conflict = { kind: 'Status', status: 'Failure', reason: 'Conflict', message: 'the object has been modified' };

  it.each<[string, Partial<ApplyStrategy>, boolean]>([
    ['is applied at last without a lock', {}, true],
    ['is so by ServerSideApply', { type: 'ServerSideApply' }, true],
    ['is so compared in full', { comparisonOption: 'FullComparison' }, true],
    ['is never under IfNotDrifted', { whenToApply: 'IfNotDrifted' }, false],
    ['is never by ServerSideApply under IfNotDrifted', { type: 'ServerSideApply', whenToApply: 'IfNotDrifted' }, false],
  ])('that changes all the time %s', async (_, strategy, replaced) => {
    const { world, locked } = await raced(strategy);
    expect(locked).toEqual([true, true, !replaced]);
    expect(await isOurs(world)).toBe(replaced);
    expect(world.results().map(({ result, message }) => [result, message])).toEqual(
      replaced ? [] : [['ManifestApplyFailed', 'apply ConfigMap default/a on eu-1: 409, the object has been modified']],
    );
  });

  it('under IfNotDrifted is applied only in the state that was read', async () => {
    const world = await meeting({}, { whenToApply: 'IfNotDrifted' });
    world.member.assign([
      assignment('web', [configMap('a', { color: 'green' })], { strategy: { whenToApply: 'IfNotDrifted' } }),
    ]);
    await world.pass(1);
    const patch = world.requests.filter(({ method }) => method === 'PATCH').at(-1);
    expect(JSON.parse(patch?.body ?? '{}').metadata.resourceVersion).toMatch(/^\d+$/);
  });

  it.each<[ApplyStrategy['whenToApply'], string, boolean]>([
    ['Always', 'as it is found in the end', true],
    ['IfNotDrifted', 'not at all', false],
  ])('that keeps changing is applied, where whenToApply is %s, %s', async (whenToApply, _, isApplied) => {
    const conflict = { kind: 'Status', status: 'Failure', code: 409, reason: 'Conflict', message: 'it was modified' };
    let refused = 4;
    const world = await openWorld(
      {},
      {
        intercept({ method, path: at, body }) {
          const isLocked = method === 'PATCH' && at.startsWith(`${path}?`) && /resourceVersion/.test(body ?? '');
          return isLocked && refused-- > 0 ? { status: 409, body: conflict } : undefined;
        },
      },
    );
    await world.user('POST', '/api/v1/namespaces/default/configmaps', configMap('a', { color: 'blue' }));
    world.member.assign([assignment('web', [configMap('a', { color: 'red' })], { strategy: { whenToApply } })]);
    await world.pass(2);
    expect([await isOurs(world), world.results().map(({ result }) => result)]).toEqual(
      isApplied ? [true, []] : [false, ['ManifestApplyFailed']],
    );
  });
});
