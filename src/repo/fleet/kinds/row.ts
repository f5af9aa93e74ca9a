import type { AnyFleetObject } from '../../../api/kinds/kind.ts';
import type { FleetObject } from '../../../api/kinds.ts';
import type { Fleet, FleetRecord } from '../../../engine/input.ts';
import type { Names, Reference } from '../names.ts';

/** How a fleet uses the objects of one kind. api/kinds defines the kind. */
export interface FleetRow<T extends AnyFleetObject> extends RowBase<T> {
  /** Their field of Fleet; `none` if a fleet does not contain them. */
  readonly in: FieldOf<T> | 'none';
}

interface RowBase<T extends AnyFleetObject> {
  /** Placements can select its objects as resources. */
  readonly isResource?: true;
  /** References to other objects. */
  references?(object: T, names: Names): readonly Reference[];
  /** Valid gitfleet annotations, each with its value or values if only those are valid. */
  readonly annotations?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Whether the record shows that all references were found once, so that they were not misspelt. */
  hasFoundAll?(
    object: { readonly name: string; readonly namespace?: string | undefined },
    record: FleetRecord,
  ): boolean;
}

/** A row for each kind of T. */
export type FleetRows<T extends FleetObject> = { readonly [K in T['kind']]: FleetRow<OfKind<T, K>> };

/** The row of any object. */
export interface AnyFleetRow extends RowBase<FleetObject> {
  readonly in: keyof Fleet | 'none';
}

/** A schema may be that of several kinds. */
type OfKind<T extends FleetObject, K> = T extends unknown ? (K extends T['kind'] ? T : never) : never;

/** Fields of Fleet of type T or list of T. */
type FieldOf<T> = {
  [F in keyof Fleet]-?: T extends (Fleet[F] extends readonly (infer Item)[] ? Item : Fleet[F]) ? F : never;
}[keyof Fleet];
