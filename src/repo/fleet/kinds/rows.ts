import type { FleetObject } from '../../../api/kinds.ts';
import { nodeDisruptionAnnotation } from '../../../api/nodes/disruption-modes.ts';
import { upgradeProviders } from '../../../api/upgrade-providers.ts';
import type { Fleet } from '../../../engine/input.ts';
import { providerAnnotation, referenceAnnotation } from '../../../engine/upgrade/member-annotations.ts';
import { evictionRows } from './evictions.ts';
import { overrideRows } from './overrides.ts';
import { placementRows } from './placements.ts';
import type { AnyFleetRow, FleetRows } from './row.ts';
import { stagedRows } from './staged.ts';
import { upgradeSettingRows } from './upgrade-settings.ts';
import { upgradeRows } from './upgrades.ts';

/** References are checked in this order. A kind without a row does not compile. */
const rows = {
  MemberCluster: {
    in: 'members',
    annotations: {
      [providerAnnotation]: upgradeProviders,
      [referenceAnnotation]: undefined,
      [nodeDisruptionAnnotation]: undefined,
    },
  },
  ...placementRows,
  ...overrideRows,
  ...stagedRows,
  ...evictionRows,
  ...upgradeRows,
  ...upgradeSettingRows,
  ClusterResourceEnvelope: { in: 'none', isResource: true },
  ResourceEnvelope: { in: 'none', isResource: true },
  FleetConfig: { in: 'config' },
  PriceList: { in: 'priceLists' },
  InstanceCatalog: { in: 'instanceCatalogs' },
  RemovalApproval: { in: 'removalApprovals' },
  // It configures a simulation, and is not desired state.
  SimulatedFleet: { in: 'none' },
} as const satisfies FleetRows<FleetObject>;

type Kind = FleetObject['kind'];

/** The row of a fleet object. */
export const fleetRowOf = ({ kind }: { readonly kind: Kind }): AnyFleetRow => rows[kind];

/** The fleet objects of a fleet, without resources and objects being deleted. */
export const objectsOf = (fleet: Fleet): readonly FleetObject[] =>
  [...kindsByField.keys()].flatMap((field) =>
    field === 'none' ? [] : ((fleet[field] ?? []) as FleetObject | readonly FleetObject[]),
  );

/** Fields of Fleet, each with the kinds that it holds. */
export const kindsByField: ReadonlyMap<AnyFleetRow['in'], readonly Kind[]> = Map.groupBy(
  Object.keys(rows) as Kind[],
  (kind): AnyFleetRow['in'] => rows[kind].in,
);
