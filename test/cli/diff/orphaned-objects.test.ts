import { expect, it } from 'vitest';
import { orphanedObjects } from '../../../src/cli/diff/orphaned-objects.ts';

it('objects wanted in another version are not orphaned; objects no longer wanted, or wanted elsewhere, are', () => {
  const scaler = { kind: 'HorizontalPodAutoscaler', namespace: 'shop', name: 'web' };
  const wanted = [
    { apiVersion: 'autoscaling/v2', kind: scaler.kind, metadata: { name: 'web', namespace: 'shop' } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
  ];
  const prunable = [
    { apiVersion: 'autoscaling/v1', ...scaler },
    { apiVersion: 'autoscaling/v1', ...scaler, namespace: 'pay' },
    { apiVersion: 'v1', kind: 'Namespace', name: 'shop' },
    { apiVersion: 'v1', kind: 'Namespace', name: 'pay' },
  ];
  expect(orphanedObjects(prunable, wanted)).toEqual([
    { apiVersion: 'autoscaling/v1', kind: scaler.kind, metadata: { name: 'web', namespace: 'pay' } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'pay' } },
  ]);
});
