import type { z } from 'zod';
import type { Issue, IssueAt } from '../issue.ts';
import type { ObjectMeta } from '../meta.ts';

/** Fields of all fleet objects. A FleetConfig needs no metadata. */
export interface AnyFleetObject {
  readonly kind: string;
  readonly metadata?: Partial<ObjectMeta> | undefined;
}

/** An object with its index in a list. */
export interface At<T> {
  readonly object: T;
  readonly index: number;
}

/** The definition of one kind. repo/fleet/kinds defines how a fleet uses it. */
export interface Kind<T extends AnyFleetObject = AnyFleetObject> {
  readonly group: string;
  readonly kind: T['kind'];
  readonly scope: 'Cluster' | 'Namespaced';
  readonly schema: z.ZodType<T>;
  /**
   * Rules of KubeFleet's CEL and webhooks beyond the schema, and warnings about probable mistakes. `written` is the document that the
   * schema accepted, for fields that it drops.
   */
  rules(object: T, written: unknown): Issue[];
  /** Forbidden changes since the last recorded version. */
  changes(recorded: T, next: T): Issue[];
  /** Rules over several objects: `own` are those of this kind, `all` those of the fleet. */
  across?(own: readonly At<T>[], all: readonly AnyFleetObject[]): IssueAt[];
  /** Fills in defaults that depend on other fields, and reports what it dropped. */
  complete?(object: T): { readonly object: T; readonly issues: readonly Issue[] };
  /** A sentence about a valid field that has no effect yet. */
  notActedOn?(object: T): string | undefined;
  /** Top-level fields whose nulls have a meaning. */
  readonly keepsNulls?: readonly string[];
  /** An invalid object is kept, because it must not count as absent. */
  readonly keptWhenInvalid?: true;
  /** A fleet has at most one, under any name. */
  readonly isSingle?: true;
  /**
   * Set if finalizers of KubeFleet keep the object for some time after its deletion, with a deletionTimestamp. The text is the
   * consequence for the object.
   */
  whenDeleted?(object: T): { readonly consequence: string; readonly fix: string };
  /**
   * Set if kinds of both scopes are identified by `name` or `namespace.name` on the status branch and in labels. Names of cluster-scoped
   * objects may contain dots, so the two can collide.
   */
  readonly sharesNamesIn?: 'placements' | 'runs' | 'approvals';
  /**
   * Set for an approval: what in it is the answer. `presence`: the file approves, and nothing in it rejects. Approvals count only in
   * their folder.
   */
  readonly answeredBy?: 'condition' | 'state' | 'presence';
  /** gitfleet carries it out by itself. Texts name it without its kind. */
  readonly isWork?: true;
  /** While it waits the record has nothing of it but a hold. */
  readonly waitsUnrecorded?: true;
}

export const placementGroup = 'placement.kubernetes-fleet.io';
export const clusterGroup = 'cluster.kubernetes-fleet.io';
export const ownGroup = 'gitfleet.dev';

/** For a kind without further rules or restrictions of changes. */
export const none = (): Issue[] => [];

/** For a kind that has no objects on clusters. */
export const countsAsGone = () => ({
  consequence: '',
  fix: 'remove deletionTimestamp to keep it, or remove the file',
});
