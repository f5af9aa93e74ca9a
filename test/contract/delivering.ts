import { expect, it } from 'vitest';
import type { Manifest } from '../../src/api/meta.ts';
import type { ObjectOutcome } from '../../src/api/observation.ts';
import { sharedLimits } from '../../src/members/api-server/shared-limits.ts';
import { fewAtOnce } from '../../src/members/few-at-once.ts';
import { type Member, type MemberInput, openMember } from '../../src/members/member.ts';
import { assignment, refOf } from '../support/member-world.ts';
import { configMap, definition, deployment, groupOf, secret, widget } from './objects.ts';
import { configMaps, deployments, eventually, type Session } from './session.ts';

/** A member of ours over the server, from assignment to observation. */
export function delivering(now: () => Session): void {
  const placement = () => `contract-${now().id}`;
  const wanted = (manifests: readonly Manifest[], more: Parameters<typeof assignment>[2] = {}) =>
    assignment(placement(), manifests, more);
  const path = (name = 'a') => configMaps(now().namespace, name);
  const cm = (data: Record<string, string>, name = 'a') => configMap(now().namespace, name, data);

  function open(more: Partial<Pick<MemberInput, 'transport' | 'heartbeatMs'>> = {}): Member {
    let assigned: Parameters<Member['assign']> = [[]];
    const member = openMember({
      name: 'contract',
      transport: now().transport,
      clock: now().server.clock,
      fewAtOnce: fewAtOnce(now().server.clock),
      shared: sharedLimits(),
      heartbeatMs: 60_000,
      priceLists: () => [],
      needsProperties: () => 'hour',
      knownAt: () => Number.NEGATIVE_INFINITY,
      // As the daemon does, which reads anew what is wanted before it decides on what it found late.
      events: {
        changed: () => {},
        conflict: () => void setImmediate(() => member.assign(...assigned)),
        identified: () => {},
      },
      ...more,
    });
    now().undo(async () => member.stop());
    return {
      ...member,
      assign(...next) {
        assigned = next;
        member.assign(...next);
      },
    };
  }

  const results = (member: Member): readonly ObjectOutcome[] => {
    const [observation] = member.observation().placements;
    expect(observation?.done).toBe(true);
    return observation?.results ?? [];
  };
  const settled = (member: Member) =>
    eventually(async () => {
      expect(results(member)).toEqual([]);
      expect(member.observation().complete).toBe(true);
    });
  const own = (member: Member): string[] =>
    member
      .observation()
      .objects.filter(({ metadata }) => metadata.labels?.['gitfleet.dev/placement'] === placement())
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
      .sort();

  it('send one request a heartbeat at rest', async () => {
    const sent: string[] = [];
    const heartbeats = (): number => sent.filter((path) => path === '/readyz').length;
    const member = open({
      heartbeatMs: 1_000,
      transport(request) {
        sent.push(request.path);
        return now().transport(request);
      },
    });
    member.assign([wanted([cm({ color: 'red' })])]);
    await settled(member);
    const before = heartbeats();
    await eventually(async () => expect(heartbeats()).toBeGreaterThan(before + 1));
    sent.length = 0;
    await eventually(async () => expect(heartbeats()).toBeGreaterThan(4));
    expect(new Set(sent)).toEqual(new Set(['/readyz']));
  });

  it('apply what is assigned and show it', async () => {
    const member = open();
    member.assign([wanted([deployment(now().namespace, 'web'), cm({ color: 'red' })])]);
    await settled(member);
    expect(own(member)).toEqual(['ConfigMap a', 'Deployment web']);
    expect((await now().send('GET', deployments(now().namespace, 'web'))).status).toBe(200);
    expect(member.observation().memberStatus?.agentStatus?.[0]?.conditions).toMatchObject([
      { type: 'Joined', status: 'True' },
      { type: 'Healthy', status: 'True' },
    ]);
  });

  it('repair changed fields, and report which and by whom', async () => {
    const member = open();
    member.assign([wanted([cm({ color: 'red' })])]);
    await settled(member);
    await now().send('PATCH', path(), {
      type: 'application/merge-patch+json',
      query: { fieldManager: 'somebody' },
      body: { data: { color: 'blue' } },
    });
    await eventually(async () => {
      expect((await now().send('GET', path())).body.data).toEqual({ color: 'red' });
      expect(results(member)).toMatchObject([
        {
          result: 'Applied',
          details: [{ path: '/data/color', valueInMember: 'blue', valueInHub: 'red', manager: 'somebody' }],
        },
      ]);
    });
  });

  it('put back what somebody removes', async () => {
    const member = open();
    member.assign([wanted([cm({ color: 'red' })])]);
    await settled(member);
    await now().send('DELETE', path());
    await eventually(async () => expect((await now().send('GET', path())).body.data).toEqual({ color: 'red' }));
  });

  it('report drift under IfNotDrifted and leave it', async () => {
    const member = open();
    member.assign([wanted([cm({ color: 'red' })], { strategy: { whenToApply: 'IfNotDrifted' } })]);
    await settled(member);
    await now().send('PATCH', path(), { type: 'application/merge-patch+json', body: { data: { color: 'blue' } } });
    await eventually(async () =>
      expect(results(member)).toMatchObject([
        { result: 'FoundDrifts', details: [{ path: '/data/color', valueInMember: 'blue', valueInHub: 'red' }] },
      ]),
    );
    expect((await now().send('GET', path())).body.data).toEqual({ color: 'blue' });
  });

  it('remove what is assigned no more, and nothing else', async () => {
    await now().apply(cm({}, 'theirs'), 'somebody');
    const both = [cm({}), cm({}, 'b')];
    const member = open();
    member.assign([wanted(both)]);
    await settled(member);
    member.assign([wanted([cm({})], { prunable: both.map(refOf) })]);
    await eventually(async () => expect((await now().send('GET', path('b'))).status).toBe(404));
    member.assign([wanted([], { remove: true, prunable: both.map(refOf) })]);
    await eventually(async () => expect((await now().send('GET', path())).status).toBe(404));
    await eventually(async () => expect(own(member)).toEqual([]));
    expect((await now().send('GET', path('theirs'))).status).toBe(200);
  });

  it('take a text of a Secret away that is assigned no more', async () => {
    const { namespace } = now();
    const data = async () => (await now().send('GET', `/api/v1/namespaces/${namespace}/secrets/a`)).body.data;
    const member = open();
    member.assign([wanted([secret(namespace, 'a', { color: 'red', old: 'x' })])]);
    await settled(member);
    expect(await data()).toEqual({ color: 'cmVk', old: 'eA==' });
    member.assign([wanted([secret(namespace, 'a', { color: 'red' })])]);
    await eventually(async () => expect(await data()).toEqual({ color: 'cmVk' }));
  });

  it('compare without writing under ReportDiff', async () => {
    await now().apply(cm({ color: 'blue' }), 'somebody');
    const before = (await now().send('GET', path())).body;
    const member = open();
    member.assign([wanted([cm({ color: 'red' })], { strategy: { type: 'ReportDiff' } })]);
    await eventually(async () =>
      expect(results(member)).toMatchObject([
        {
          result: 'FoundDiff',
          details: [{ path: '/data/color', valueInMember: 'blue', valueInHub: 'red', manager: 'somebody' }],
        },
      ]),
    );
    expect((await now().send('GET', path())).body).toEqual(before);
  });

  it('leave fields to their owners without force, and say whose they are', async () => {
    await now().apply(cm({ color: 'blue' }), 'somebody');
    const member = open();
    member.assign([wanted([cm({ color: 'red' })], { strategy: { type: 'ServerSideApply' } })]);
    await eventually(async () =>
      expect(results(member)).toMatchObject([
        {
          result: 'ManifestApplyFailed',
          message: expect.stringContaining('409, field .data.color is owned by somebody'),
        },
      ]),
    );
  });

  it('take over only what does not differ under IfNoDiff', async () => {
    await now().apply(cm({ color: 'blue' }), 'somebody');
    await now().apply(cm({ color: 'red' }, 'b'), 'somebody');
    const member = open();
    const strategy = { whenToTakeOver: 'IfNoDiff' } as const;
    member.assign([wanted([cm({ color: 'red' }), cm({ color: 'red' }, 'b')], { strategy })]);
    await eventually(async () =>
      expect(results(member)).toMatchObject([{ object: { name: 'a' }, result: 'FailedToTakeOver' }]),
    );
    expect(own(member)).toEqual(['ConfigMap b']);
  });

  it('apply a custom resource when its definition, of the same placement, is served', async () => {
    const { id, namespace } = now();
    // Before the member is opened, so that it is after the member has stopped: it would bring the definition back.
    now().undo(() =>
      now().send('DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${groupOf(id)}`),
    );
    const member = open();
    member.assign([wanted([widget(id, namespace, 1), definition(id)])]);
    await settled(member);
    expect(own(member)).toEqual([`CustomResourceDefinition widgets.${groupOf(id)}`, 'Widget w']);
  });

  it('ask again for nothing: a member that has what it should is left alone', async () => {
    const member = open();
    member.assign([wanted([cm({ color: 'red' }), deployment(now().namespace, 'web')])]);
    await settled(member);
    const { resourceVersion } = (await now().send('GET', path())).body.metadata;
    member.assign([wanted([cm({ color: 'red' }), deployment(now().namespace, 'web')], { resourceSnapshotIndex: 1 })]);
    await eventually(async () => {
      expect(member.idle()).toBe(true);
      expect(member.observation().placements[0]).toMatchObject({ done: true, resourceSnapshotIndex: 1, results: [] });
    });
    expect((await now().send('GET', path())).body.metadata.resourceVersion).toBe(resourceVersion);
  });
}
