import { expect, it } from 'vitest';
import { nameIssues } from '../../../src/repo/fleet/object-names.ts';

const reported = (apiVersion: string, name: string, namespace = 'web'): string[] =>
  nameIssues({ apiVersion, metadata: { name, namespace } }).map(({ path, fix }) => `${path.at(-1)}: ${fix}`);

it.each<[string, string, string, string[]]>([
  ['v1', 'web.settings-1', 'web', []],
  ['v1', 'Web_1', 'web', ['name: write for example web-1']],
  ['apps/v1', 'x-{{ .Release.Name }}', 'web', ['name: use lower-case letters, digits and -']],
  ['batch/v1', 'web', 'shop.web', ['namespace: write for example shop-web']],
  ['v1', 'a/b', 'web', ['name: use letters, digits, - and .']],
  ['rbac.authorization.k8s.io/v1', 'system:Reader', 'web', []],
  ['rbac.authorization.k8s.io/v1', 'a%b', 'web', ['name: use letters, digits, - and .']],
  ['user.example.com/v1', 'github:Ann', 'web', []],
])('names that Kubernetes refuses of %s: %s in %s', (apiVersion, name, namespace, expected) => {
  expect(reported(apiVersion, name, namespace)).toEqual(expected);
});
