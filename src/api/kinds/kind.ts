import type { z } from 'zod';
import type { Issue, IssueAt } from '../issue.ts';
import type { ObjectMeta } from '../meta.ts';

/** What all objects of a fleet have. A FleetConfig needs no metadata. */
export interface AnyFleetObject {
  readonly kind: string;
  readonly metadata?: Partial<ObjectMeta> | undefined;
}

/** An object of several, and its index in their list. */
export interface At<T> {
  readonly object: T;
  readonly index: number;
}

/** Everything that src/api knows of one kind. What a fleet does with it stands in repo/fleet/kinds. */
export interface Kind<T extends AnyFleetObject = AnyFleetObject> {
  readonly group: string;
  readonly kind: T['kind'];
  readonly scope: 'Cluster' | 'Namespaced';
  readonly schema: z.ZodType<T>;
  /** What KubeFleet's CEL rules and webhooks refuse beyond the schema, and what is most likely not meant. */
  rules(object: T): Issue[];
  /** What may not change from the version last recorded to the next. */
  changes(recorded: T, next: T): Issue[];
  /** Rules over several objects: `own` are those of this kind, `all` those of the fleet. */
  across?(own: readonly At<T>[], all: readonly AnyFleetObject[]): IssueAt[];
  /** Fills in defaults that depend on other fields, and says what it dropped. */
  complete?(object: T): { readonly object: T; readonly issues: readonly Issue[] };
  /** What a valid object asks for that nothing acts on yet, as a sentence. */
  notActedOn?(object: T): string | undefined;
  /** Top-level fields whose nulls mean something. */
  readonly keepsNulls?: readonly string[];
  /** An invalid object is kept: it must not be read as absent. */
  readonly keptWhenInvalid?: true;
  /** A fleet has one of it, under whatever name. */
  readonly isSingle?: true;
  /**
   * KubeFleet cleans up after it when it goes: its finalizers keep it in sight, with a deletionTimestamp, meanwhile. The text says what
   * that means for the object.
   */
  whenDeleted?(object: T): { readonly consequence: string; readonly fix: string };
  /**
   * Kinds of both scopes that are known by `name` or `namespace.name`, on the status branch and in labels. The names of
   * cluster-scoped objects may hold dots, so the two can meet.
   */
  readonly sharesNamesIn?: 'placements' | 'runs' | 'approvals';
}

export const placementGroup = 'placement.kubernetes-fleet.io';
export const clusterGroup = 'cluster.kubernetes-fleet.io';
export const ownGroup = 'gitfleet.dev';

/** Where the schema says it all; where everything may change. */
export const none = (): Issue[] => [];

/** Of a kind that leaves nothing on clusters by itself. */
export const countsAsGone = () => ({
  consequence: '',
  fix: 'remove deletionTimestamp to keep it, or remove the file',
});
