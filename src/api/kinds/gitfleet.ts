import {
  type FleetConfig,
  fleetConfig,
  type PriceList,
  priceList,
  type RemovalApproval,
  removalApproval,
} from '../gitfleet.ts';
import { configIssues } from '../rules/config-rules.ts';
import { priceListIssues } from '../rules/node-rules.ts';
import { type SimulatedFleet, simulatedFleet } from '../simulated-fleet.ts';
import { type Kind, none, ownGroup } from './kind.ts';

const common = { group: ownGroup, scope: 'Cluster', rules: none, changes: none } as const;

const configKind: Kind<FleetConfig> = {
  ...common,
  kind: 'FleetConfig',
  schema: fleetConfig,
  rules: configIssues,
  isSingle: true,
};

const priceListKind: Kind<PriceList> = { ...common, kind: 'PriceList', schema: priceList, rules: priceListIssues };

const removalApprovalKind: Kind<RemovalApproval> = {
  ...common,
  kind: 'RemovalApproval',
  schema: removalApproval,
  answeredBy: 'presence',
};

/** Only the demo, `simulate` and `--members simulated` read it. */
const simulatedFleetKind: Kind<SimulatedFleet> = { ...common, kind: 'SimulatedFleet', schema: simulatedFleet };

export const gitfleetKinds = [configKind, priceListKind, removalApprovalKind, simulatedFleetKind] as const;
