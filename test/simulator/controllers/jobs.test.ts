import { describe, expect, it } from 'vitest';
import { listAt, textAt } from '../../../src/engine/kernel/at.ts';
import type { Fields } from '../../../src/simulator/schema/schema.ts';
import { deployment, deploymentUrl, openWorld, type World } from '../world.ts';

const jobs = '/apis/batch/v1/namespaces/default/jobs';
const crons = '/apis/batch/v1/namespaces/default/cronjobs';
const scalers = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/web';
const podSpec = (restartPolicy: string) => ({ restartPolicy, containers: [{ name: 'main', image: 'work:1' }] });
const job = (spec: Fields = {}, fail?: string, restartPolicy = 'Never') => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'work', namespace: 'default' },
  spec: {
    template: {
      ...(fail ? { metadata: { annotations: { 'simulator.gitfleet.dev/fail': fail } } } : {}),
      spec: podSpec(restartPolicy),
    },
    ...spec,
  },
});
const readySeconds = { Job: 10, Termination: 1 };

async function started(...about: Parameters<typeof job>): Promise<World> {
  const world = await openWorld({ readySeconds });
  await world.apply(`${jobs}/work`, job(...about));
  world.seconds(1);
  return world;
}
const status = (world: World, name = 'work') => world.get('batch/jobs', name, 'default')!['status'] as Fields;
const conditions = (world: World) =>
  listAt(status(world), 'conditions').map((item) =>
    ['type', 'status', 'reason'].map((field) => textAt(item, field)).join(' '),
  );

describe('a Job', () => {
  it('is complete when its pod has ended, after the delay of its member', async () => {
    const world = await started();
    expect(status(world)).toEqual({
      startTime: '2026-01-01T00:00:00Z',
      active: 1,
      ready: 1,
      terminating: 0,
      uncountedTerminatedPods: {},
    });
    world.seconds(10);
    expect(status(world)).toMatchObject({ succeeded: 1, completionTime: '2026-01-01T00:00:10Z', ready: 0 });
    expect(conditions(world)).toEqual([
      'SuccessCriteriaMet True CompletionsReached',
      'Complete True CompletionsReached',
    ]);
    expect(world.clock.pending()).toBe(0);
  });

  it('runs as many pods at once as it may until it has its completions', async () => {
    const world = await started({ completions: 5, parallelism: 2 });
    expect(status(world)).toMatchObject({ active: 2 });
    world.seconds(11);
    expect(status(world)).toMatchObject({ active: 2, succeeded: 2 });
    world.seconds(30);
    expect(status(world)).toMatchObject({ succeeded: 5 });
    expect(world.list('/pods')).toHaveLength(5);
  });

  it('has failed after more failures than its backoff limit, with longer and longer pauses between them', async () => {
    const world = await started({ backoffLimit: 2 }, 'CrashLoopBackOff');
    const seen: number[] = [];
    for (let second = 0; second < 60; second++) {
      world.seconds(1);
      const count = world.list('/pods').length;
      if (count > seen.length) seen.push(second);
    }
    expect(seen.map((second, at) => second - (seen[at - 1] ?? second))).toEqual([0, 10, 21]);
    expect(status(world)).toMatchObject({ failed: 3 });
    expect(conditions(world)).toEqual(['FailureTarget True BackoffLimitExceeded', 'Failed True BackoffLimitExceeded']);
    expect(world.clock.pending()).toBe(0);
  });

  it('counts restarts of containers where its pods are restarted in place', async () => {
    const world = await started({ backoffLimit: 2 }, 'CrashLoopBackOff', 'OnFailure');
    world.seconds(120);
    expect(conditions(world)).toContain('Failed True BackoffLimitExceeded');
    expect(world.list('/pods')).toEqual([]);
  });

  it('has failed when its deadline has passed', async () => {
    const world = await started({ activeDeadlineSeconds: 5 });
    world.seconds(6);
    expect(conditions(world)).toEqual(['FailureTarget True DeadlineExceeded', 'Failed True DeadlineExceeded']);
  });

  it('that is suspended has no pods until it is resumed', async () => {
    const world = await started({ suspend: true });
    expect([world.list('/pods'), conditions(world)]).toEqual([[], ['Suspended True JobSuspended']]);
    await world.apply(`${jobs}/work`, job({ suspend: false }));
    world.seconds(12);
    expect(conditions(world)).toContain('Suspended False JobResumed');
    expect(conditions(world)).toContain('Complete True CompletionsReached');
  });

  it('is deleted after its ttlSecondsAfterFinished', async () => {
    const world = await started({ ttlSecondsAfterFinished: 60 });
    world.seconds(65);
    expect(world.list('batch/jobs')).toHaveLength(1);
    world.seconds(10);
    expect([world.list('batch/jobs'), world.list('/pods')]).toEqual([[], []]);
  });
});

describe('a change of a Job', () => {
  const template = (spec: object, more: object = {}): Fields => ({
    template: { spec: { ...podSpec('Never'), ...spec }, ...more },
  });
  const image = { containers: [{ name: 'main', image: 'work:2' }] };
  const indexed = { completionMode: 'Indexed', completions: 2, parallelism: 2 };
  const waits = { suspend: true };

  it.each<[string, Fields, Fields, string | undefined]>([
    ['of its image is refused', {}, template(image), 'spec.template'],
    ['of its image is refused while it is suspended, too', waits, { ...waits, ...template(image) }, 'spec.template'],
    ['of its nodes is refused', {}, template({ nodeSelector: { zone: 'a' } }), 'spec.template'],
    [
      'of its nodes is let through until it starts',
      waits,
      { ...waits, ...template({ nodeSelector: { zone: 'a' } }, { metadata: { labels: { queue: 'a' } } }) },
      undefined,
    ],
    ['of its completions is refused', { completions: 2 }, { completions: 3 }, 'spec.completions'],
    [
      'of completions and parallelism of an indexed one is let through',
      indexed,
      { ...indexed, completions: 3, parallelism: 3 },
      undefined,
    ],
    ['of completions alone of an indexed one is refused', indexed, { ...indexed, completions: 3 }, 'spec.completions'],
    ['of its parallelism is let through', {}, { parallelism: 3 }, undefined],
  ])('%s', async (_, before, after, field) => {
    const world = await started(before);
    const { status: code, body } = await world.apply(`${jobs}/work`, job(after));
    const fields = (body.details?.causes ?? []).map((cause: { field: string }) => cause.field);
    expect([code, fields]).toEqual(field === undefined ? [200, []] : [422, [field]]);
  });
});

describe('a CronJob and a HorizontalPodAutoscaler', () => {
  const cron = (spec: Fields = {}) => ({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'tick', namespace: 'default' },
    spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: { spec: podSpec('Never') } } }, ...spec },
  });
  const scaler = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 4,
      maxReplicas: 5,
    },
  };

  it('are kept as they are, and nothing follows from them', async () => {
    const world = await openWorld();
    await world.apply(`${deploymentUrl}/web`, deployment('web'));
    expect((await world.apply(`${crons}/tick`, cron())).status).toBe(201);
    expect((await world.apply(scalers, scaler)).status).toBe(201);
    for (let minute = 0; minute < 11; minute++) world.seconds(60);
    expect(world.get('batch/cronjobs', 'tick', 'default')).toMatchObject(cron());
    expect(world.get('autoscaling/horizontalpodautoscalers', 'web', 'default')).toMatchObject(scaler);
    expect(world.list('batch/jobs')).toEqual([]);
    expect(world.get('apps/deployments', 'web', 'default')).toMatchObject({ spec: { replicas: 3 } });
  });

  it.each([
    [{ schedule: 'soon' }, 'spec.schedule: Invalid value: "soon": it is not a cron schedule of five fields'],
    [{ schedule: '0 0 * * 7' }, 'spec.schedule: Invalid value: "0 0 * * 7": it is not a cron schedule of five fields'],
    [{ timeZone: 'Mars/Olympus' }, 'spec.timeZone: Invalid value: "Mars/Olympus": unknown time zone Mars/Olympus'],
  ])('CronJob with %j is refused', async (spec, message) => {
    const world = await openWorld();
    const { status: code, body } = await world.apply(`${crons}/tick`, cron(spec));
    expect([code, body.message]).toEqual([422, `CronJob.batch "tick" is invalid: ${message}`]);
  });
});
