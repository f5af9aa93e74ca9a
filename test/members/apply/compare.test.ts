import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../../src/api/meta.ts';
import { differences } from '../../../src/members/apply/compare.ts';

const job = (more: object = {}, metadata: object = {}): Manifest =>
  ({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'web', namespace: 'web', ...metadata },
    ...more,
  }) as Manifest;

describe('reported differences omit', () => {
  it.each<[string, Manifest]>([
    ['its name and namespace', job({}, { name: 'other', namespace: 'other', generateName: 'web-' })],
    ['finalizers', job({}, { finalizers: ['acme.io/x'] })],
    ['owners', job({}, { ownerReferences: [{ kind: 'Shop', name: 'main' }] })],
    ['who manages what', job({}, { managedFields: [{ manager: 'kubectl' }] })],
    ['when it is deleted', job({}, { deletionTimestamp: '2026-11-20T10:00:00Z', deletionGracePeriodSeconds: 30 })],
    ['what the server counts', job({}, { generation: 4, resourceVersion: '7', uid: 'u', selfLink: '/x' })],
    ['when it was made', job({}, { creationTimestamp: '2026-11-20T10:00:00Z' })],
    ['when its template was made', job({ spec: { template: { metadata: { creationTimestamp: 'now' } } } })],
    [
      'when the template of its jobs was made',
      job({ spec: { jobTemplate: { spec: { template: { metadata: { creationTimestamp: 'now' } } } } } }),
    ],
    ['its status', job({ status: { active: [{}] } })],
    ['labels of Kubernetes', job({}, { labels: { 'app.kubernetes.io/name': 'web', 'batch.k8s.io/x': 'y' } })],
    [
      'annotations of KubeFleet and ours',
      job({}, { annotations: { 'kubernetes-fleet.io/a': '1', 'gitfleet.dev/b': '2' } }),
    ],
  ])('%s', (_, live) => {
    expect(differences(job(), live)).toEqual([]);
  });

  it('nothing else of it', () => {
    const live = job({ spec: { suspend: true } }, { labels: { 'acme.io/a~b': '1' }, annotations: { note: 'x' } });
    const wanted = job({ spec: { schedule: '* * * * *' } }, { labels: { app: 'web' } });
    expect(differences(wanted, live)).toEqual([
      { path: '/metadata/annotations', valueInMember: '{"note":"x"}' },
      { path: '/metadata/labels/acme.io~1a~0b', valueInMember: '1' },
      { path: '/metadata/labels/app', valueInHub: 'web' },
      { path: '/spec/schedule', valueInHub: '* * * * *' },
      { path: '/spec/suspend', valueInMember: 'true' },
    ]);
  });
});
