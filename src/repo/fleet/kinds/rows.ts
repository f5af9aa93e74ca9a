import type { FleetObject } from '../../../api/kinds.ts';
import type { Fleet } from '../../../engine/input.ts';
import { evictionRows } from './evictions.ts';
import { overrideRows } from './overrides.ts';
import { placementRows } from './placements.ts';
import type { AnyFleetRow, FleetRows } from './row.ts';
import { stagedRows } from './staged.ts';

/** In this order what they name is looked up. A kind without a row does not compile. */
const rows = {
  MemberCluster: { in: 'members' },
  ...placementRows,
  ...overrideRows,
  ...stagedRows,
  ...evictionRows,
  ClusterResourceEnvelope: { in: 'none', isResource: true },
  ResourceEnvelope: { in: 'none', isResource: true },
  FleetConfig: { in: 'config' },
  PriceList: { in: 'priceLists' },
  RemovalApproval: { in: 'removalApprovals' },
  // It says how a simulation behaves, not what is wanted.
  SimulatedFleet: { in: 'none' },
} as const satisfies FleetRows<FleetObject>;

type Kind = FleetObject['kind'];

/** The row of an object that is one of the fleet. */
export const fleetRowOf = ({ kind }: { readonly kind: Kind }): AnyFleetRow => rows[kind];

/** Objects of a fleet: what its files say to gitfleet itself, without the resources and what is being deleted. */
export const objectsOf = (fleet: Fleet): readonly FleetObject[] =>
  [...kindsByField.keys()].flatMap((field) =>
    field === 'none' ? [] : ((fleet[field] ?? []) as FleetObject | readonly FleetObject[]),
  );

/** Fields of Fleet, each with the kinds that it holds. */
export const kindsByField: ReadonlyMap<AnyFleetRow['in'], readonly Kind[]> = Map.groupBy(
  Object.keys(rows) as Kind[],
  (kind): AnyFleetRow['in'] => rows[kind].in,
);
