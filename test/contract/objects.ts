import type { Manifest } from '../../src/api/meta.ts';

export const configMap = (
  namespace: string,
  name: string,
  data: Readonly<Record<string, string>> = {},
  metadata: object = {},
): Manifest => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, ...metadata }, data });

/** Nothing runs of it: there may be no node, and nobody needs one. */
export const deployment = (namespace: string, name: string, spec: object = {}): Manifest => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [container('web')] },
    },
    ...spec,
  },
});

export const container = (name: string, more: object = {}): object => ({
  name,
  image: 'registry.k8s.io/pause',
  ...more,
});

export const secret = (namespace: string, name: string, stringData: Readonly<Record<string, string>>): Manifest => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
  stringData,
});

/** Suspended, so that nothing runs of it. */
export const job = (namespace: string, name: string, image = 'registry.k8s.io/pause'): Manifest => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace },
  spec: {
    suspend: true,
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'task', image }] } },
  },
});

export const service = (namespace: string, name: string, spec: object = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace },
  spec: { selector: { app: name }, ports: [{ name: 'web', port: 80 }], ...spec },
});

/** A definition of a group that nobody else has. */
export const definition = (id: string): Manifest => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${groupOf(id)}` },
  spec: {
    group: groupOf(id),
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer', minimum: 1 } } },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
});

export const groupOf = (id: string): string => `contract-${id}.gitfleet.dev`;

export const widget = (id: string, namespace: string, size: number): Manifest => ({
  apiVersion: `${groupOf(id)}/v1`,
  kind: 'Widget',
  metadata: { name: 'w', namespace },
  spec: { size },
});
