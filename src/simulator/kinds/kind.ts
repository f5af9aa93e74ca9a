import type { Stored } from '../object.ts';
import type { Schema } from '../schema/schema.ts';

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description: string;
  /** 0 is always shown, 1 with `-o wide`. */
  readonly priority: number;
  /** `now` in milliseconds, for ages. */
  readonly cell: (object: Stored, now: number) => unknown;
}

/** Paths that the scale subresource reads and writes, as in a CRD, `.spec.replicas`. */
export interface ScalePaths {
  readonly spec: string;
  readonly status: string;
  readonly selector?: string;
}

/** One kind in one version, as a simulated API server serves it. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly schema: Schema;
  /** Status is written through its own endpoint only. */
  readonly status: boolean;
  readonly scale?: ScalePaths;
  /** Counts changes of the desired state in `metadata.generation`. */
  readonly generation: boolean;
  readonly columns: readonly Column[];
  /** From a CustomResourceDefinition: other messages, no strategic merge patch. */
  readonly custom: boolean;
  /** Dotted paths for field selectors besides metadata.name and metadata.namespace. */
  readonly selectable: readonly string[];
}

/** Storage key of all versions of a kind: `apps/deployments`, `/configmaps`. */
export const storageKey = (kind: Pick<Kind, 'group' | 'plural'>): string => `${kind.group}/${kind.plural}`;

export const apiVersionOf = (kind: Pick<Kind, 'group' | 'version'>): string =>
  kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
