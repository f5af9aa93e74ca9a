import type { AnyFleetObject } from '../../../api/kinds/kind.ts';
import type { FleetObject } from '../../../api/kinds.ts';
import type { Fleet, FleetRecord } from '../../../engine/input.ts';
import type { Names, Reference } from '../names.ts';

/** What a fleet does with the objects of one kind. What the kind is stands in api/kinds. */
export interface FleetRow<T extends AnyFleetObject> extends RowBase<T> {
  /** The field of Fleet that holds them; `none` for what a fleet does not hold. */
  readonly in: FieldOf<T> | 'none';
}

interface RowBase<T extends AnyFleetObject> {
  /** Its objects are also resources that a placement can select. */
  readonly isResource?: true;
  /** Names of other objects in it. */
  references?(object: T, names: Names): readonly Reference[];
  /** Annotations of ours that mean something on it, each with its one value where only one does. */
  readonly annotations?: Readonly<Record<string, string | undefined>>;
  /** Whether the record shows that all that the object names was found once; what became of it later says nothing of its file. */
  hasFoundAll?(
    object: { readonly name: string; readonly namespace?: string | undefined },
    record: FleetRecord,
  ): boolean;
}

/** A row for each kind of T. */
export type FleetRows<T extends FleetObject> = { readonly [K in T['kind']]: FleetRow<OfKind<T, K>> };

/** The row of some object. */
export interface AnyFleetRow extends RowBase<FleetObject> {
  readonly in: keyof Fleet | 'none';
}

/** A schema may be that of several kinds. */
type OfKind<T extends FleetObject, K> = T extends unknown ? (K extends T['kind'] ? T : never) : never;

/** Fields of Fleet that may hold a T: a list of them, or the only one. */
type FieldOf<T> = {
  [F in keyof Fleet]-?: T extends (Fleet[F] extends readonly (infer Item)[] ? Item : Fleet[F]) ? F : never;
}[keyof Fleet];
