import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/api/meta.ts';
import type { ApplyStrategy } from '../../src/api/placement.ts';
import type { SimulatedFault } from '../../src/api/simulated-fleet.ts';
import { assignment, configMap, deployment, namespace, openWorld, type World } from '../support/member-world.ts';

const path = '/api/v1/namespaces/default/configmaps/a';
const always = { resources: ['configmaps'], fromSeconds: 0, probability: 1 };
const deny = (...verbs: ('get' | 'patch')[]): SimulatedFault => ({ type: 'Forbidden', verbs, ...always });
const red = configMap('a', { color: 'red' });
const resultsOf = (world: World) => world.results().map(({ result }) => result);

describe('a refused request gives the result of its step', () => {
  const cases: [string, Partial<ApplyStrategy>, SimulatedFault[], boolean][] = [
    ['FailedToFindObjInMemberCluster', {}, [deny('get')], true],
    ['FailedToFindObjInMemberCluster', { type: 'ReportDiff' }, [deny('get')], false],
    ['FailedToTakeOver', { whenToTakeOver: 'IfNoDiff' }, [deny('patch')], true],
    ['FailedToRunDriftDetection', { whenToApply: 'IfNotDrifted' }, [deny('patch')], false],
    ['FailedToReportDiff', { type: 'ReportDiff' }, [deny('patch')], true],
    ['ManifestApplyFailed', {}, [deny('patch')], true],
  ];
  it.each(cases)('%s (%j)', async (word, strategy, faults, foreign) => {
    const world = await openWorld();
    if (foreign) await world.user('POST', '/api/v1/namespaces/default/configmaps', configMap('a', { color: 'blue' }));
    if (word === 'FailedToRunDriftDetection') {
      world.member.assign([assignment('web', [red], { strategy })]);
      await world.pass(1);
      world.sim.setFaults(faults);
      await world.user('PATCH', path, { data: { color: 'blue' } });
    } else {
      world.sim.setFaults(faults);
      world.member.assign([assignment('web', [red], { strategy })]);
    }
    await world.pass(2);
    expect(resultsOf(world)).toEqual([word]);
    world.sim.setFaults([]);
    await world.pass(20);
    expect(JSON.stringify(world.results())).not.toContain('forbidden');
  });
});

describe('what the member cannot compare, since the manifest is not valid for it', () => {
  /** Selectors of Deployments are immutable, so that an apply of one over the other is Invalid, dry or not. */
  const other = (): Manifest => {
    const manifest = deployment('web');
    const spec = manifest['spec'] as { template: { spec: object } };
    const labels = { app: 'other' };
    return {
      ...manifest,
      spec: { ...spec, selector: { matchLabels: labels }, template: { ...spec.template, metadata: { labels } } },
    };
  };
  const selector = { path: '/spec/selector/matchLabels/app', valueInMember: 'other', valueInHub: 'web' };

  it.each<[string, Partial<ApplyStrategy>, string]>([
    ['a report', { type: 'ReportDiff' }, 'FoundDiffInDegradedMode'],
    ['a takeover', { whenToTakeOver: 'IfNoDiff' }, 'FailedToTakeOver'],
  ])('is compared field by field: %s', async (_, strategy, word) => {
    const world = await openWorld();
    await world.user('POST', '/apis/apps/v1/namespaces/default/deployments', other());
    world.member.assign([assignment('web', [deployment('web')], { strategy })]);
    await world.pass(2);
    expect(world.results()).toMatchObject([
      { result: word, details: expect.arrayContaining([expect.objectContaining(selector)]) },
    ]);
  });

  it('is drift in degraded mode under IfNotDrifted', async () => {
    const world = await openWorld();
    const wanted = assignment('web', [deployment('web')], { strategy: { whenToApply: 'IfNotDrifted' } });
    const { labels, annotations } = wanted.manifests[0]!.manifest.metadata;
    await world.user('POST', '/apis/apps/v1/namespaces/default/deployments', {
      ...other(),
      metadata: { name: 'web', labels, annotations },
    });
    world.member.assign([wanted]);
    await world.pass(2);
    expect(world.results()).toMatchObject([{ result: 'FoundDriftsInDegradedMode' }]);
  });
});

describe('ReportDiff', () => {
  const report = { strategy: { type: 'ReportDiff' as const } };

  it('reports a missing object, and nothing when it exists as desired', async () => {
    const world = await openWorld();
    world.member.assign([assignment('web', [red], report)]);
    await world.pass(2);
    expect(world.results()).toMatchObject([
      { result: 'FoundDiff', details: [{ path: '/', valueInHub: '(the whole object)' }] },
    ]);
    await world.user('POST', '/api/v1/namespaces/default/configmaps', red);
    await world.pass(30);
    expect(resultsOf(world)).toEqual(['NoDiffFound']);
  });

  it.each<[ApplyStrategy['type'], string[]]>([
    ['ReportDiff', ['GET configmaps/a', 'GET deployments/web', 'GET namespaces/shop']],
    ['ClientSideApply', ['PATCH namespaces/shop']],
    ['ServerSideApply', ['PATCH namespaces/shop']],
  ])('compares all objects in one wave, while apply waits for the wave before: %s', async (type, expected) => {
    const world = await openWorld({ faults: [{ type: 'Latency', seconds: 5, verbs: ['get', 'patch'] }] });
    const manifests = [deployment('web', 1, 'web:1', 'shop'), configMap('a', {}, 'shop'), namespace('shop')];
    world.member.assign([assignment('web', manifests, { strategy: { type } })]);
    await world.pass(4);
    expect(world.sent().sort()).toEqual(expected);
  });

  it('compares all objects repeatedly', async () => {
    const world = await openWorld();
    world.member.assign([assignment('web', [red, deployment('web'), configMap('b')], report)]);
    await world.pass(1);
    // A Deployment is applied after what comes in an earlier wave; here it is asked about in its turn.
    expect(world.sent().slice(0, 3)).toEqual(['GET configmaps/a', 'GET deployments/web', 'GET configmaps/b']);
    expect(resultsOf(world)).toEqual(['FoundDiff', 'FoundDiff', 'FoundDiff']);
    expect(world.observation().placements[0]?.done).toBe(true);
    world.sent();
    await world.pass(600);
    expect(world.sent().length).toBeGreaterThan(3);
  });
});

describe('a Secret that the member refuses', () => {
  it('is reported without the value that the server quotes', async () => {
    const world = await openWorld();
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace: 'default' },
      stringData: { pin: 123_456_789 },
    };
    world.member.assign([assignment('web', [secret])]);
    await world.pass(2);
    expect(world.results()).toMatchObject([
      { result: 'ManifestApplyFailed', message: expect.stringContaining('.stringData.pin') },
    ]);
    expect(JSON.stringify([world.observation(), world.reported])).not.toContain('123456789');
  });
});

describe('details of an object', () => {
  it('are at most a hundred', async () => {
    const data = (value: string) => Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`k${at}`, value]));
    const world = await openWorld();
    await world.user('POST', '/api/v1/namespaces/default/configmaps', configMap('a', data('blue')));
    world.member.assign([assignment('web', [configMap('a', data('red'))], { strategy: { type: 'ReportDiff' } })]);
    await world.pass(2);
    expect(world.results()[0]?.details).toHaveLength(100);
  });
});
