import { expect, it } from 'vitest';
import { likelyKind, meansKind } from '../../../src/cli/trace/kind-word.ts';

const deployment = { apiVersion: 'apps/v1', kind: 'Deployment' };
const service = { apiVersion: 'v1', kind: 'Service' };

it.each([
  ['deployment', deployment, true],
  ['Deployments', deployment, true],
  ['deploy', deployment, true],
  ['deployment.apps', deployment, true],
  ['Deployment.v1.apps', deployment, true],
  ['deployments.v1beta1.apps', deployment, false],
  ['deployment.extensions', deployment, false],
  ['svc', service, true],
  ['service.v1.', service, true],
  ['service.v1', service, false],
  ['networkpolicies', { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' }, true],
  ['ingresses.v1.networking.k8s.io', { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' }, true],
])('%s names %o, as for kubectl: %s', (word, kind, expected) => {
  expect(meansKind(word, kind)).toBe(expected);
});

it.each([
  ['deploymnt', 'deployment'],
  ['Deploymnts.apps', 'deployment'],
  ['deployment.extensions', undefined],
  ['svc', undefined],
  ['Widgt', 'widget'],
  ['certificate', undefined],
])('%s, as a kind, is likely to mean %s', (word, expected) => {
  expect(likelyKind(word, ['Deployment', 'Service', 'Widget'])).toBe(expected);
});
