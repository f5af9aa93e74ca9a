import {
  type ClusterResourceEnvelope,
  clusterResourceEnvelope,
  type ResourceEnvelope,
  resourceEnvelope,
} from '../envelope.ts';
import { type Kind, none, placementGroup } from './kind.ts';

/** The content of an envelope stays as written, with nulls. */
const common = { group: placementGroup, rules: none, changes: none, keepsNulls: ['data'] } as const;

const clusterEnvelopeKind: Kind<ClusterResourceEnvelope> = {
  ...common,
  kind: 'ClusterResourceEnvelope',
  scope: 'Cluster',
  schema: clusterResourceEnvelope,
};

const envelopeKind: Kind<ResourceEnvelope> = {
  ...common,
  kind: 'ResourceEnvelope',
  scope: 'Namespaced',
  schema: resourceEnvelope,
};

export const envelopeKinds = [clusterEnvelopeKind, envelopeKind] as const;
