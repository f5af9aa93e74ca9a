import { type DomainOutcome, noOutcome } from '../domain.ts';
import type { Fleet } from '../input.ts';
import type { Hold } from '../plan-document.ts';
import { directoryOf, objectDocument } from '../record/documents.ts';
import type { World } from '../world.ts';
import type { ClusterDocuments } from './cluster-documents.ts';

/** The outcome of the fleet itself: problems of its files, its members and its configuration. */
export function fleetOutcome({ input, admitted, holds }: World, clusters: ClusterDocuments): DomainOutcome {
  const { fleet, digest } = input;
  const members = [...clusters].map(([name, { document }]) => ({ name, document }));
  return {
    ...noOutcome,
    holds: [...holds, ...fleet.notActedOn.map(notActedOn)],
    problems: [...fleet.problems, ...admitted.problems],
    documents: [
      ...directoryOf('clusters', members, digest),
      ...(fleet.config ? [['fleet.yaml', objectDocument(fleet.config)] as const] : []),
    ],
  };
}

const notActedOn = ({ apiVersion, kind, name, namespace }: Fleet['notActedOn'][number]): Hold => ({
  subject: { kind, name, ...(namespace === undefined ? {} : { namespace }) },
  reason: 'NotActedOnYet',
  message: `${kind} ${name} (${apiVersion}) is valid, but this version of gitfleet does not act on it yet`,
});
