import type { Manifest } from '../../../api/meta.ts';
import { requirementsOfTerm } from '../../node-pools/node-terms.ts';
import { listAt, numberAt, textAt, valueAt } from '../../node-pools/read-fields.ts';
import { type Requirements, requirementsOf } from '../../node-pools/requirements.ts';
import type { Pod } from '../cluster/pod.ts';

export interface VolumesOfPod {
  /** Where its volumes are. */
  readonly constraints: readonly (readonly Requirements[])[];
  /** By CSI driver, which limits how many a node may have. */
  readonly attached: readonly { readonly driver: string; readonly id: string }[];
  readonly notModelled: string | undefined;
}

export interface Volumes {
  readonly of: (pod: Pod) => VolumesOfPod;
  /** How many volumes of a driver a node may have; undefined = any number. */
  readonly limitOf: (node: string, driver: string) => number | undefined;
}

/** The volumes of pods, as far as the observation shows their claims. */
export function volumesOf(extras: readonly Manifest[]): Volumes {
  const byKind = (kind: string, keyOf: (manifest: Manifest) => string) =>
    new Map(extras.filter((manifest) => manifest.kind === kind).map((manifest) => [keyOf(manifest), manifest]));
  const named = ({ metadata }: Manifest) => metadata.name;
  const claims = byKind(
    'PersistentVolumeClaim',
    ({ metadata }) => `${metadata.namespace ?? 'default'}/${metadata.name}`,
  );
  const [volumes, classes, nodes] = [
    byKind('PersistentVolume', named),
    byKind('StorageClass', named),
    byKind('CSINode', named),
  ];
  return {
    of(pod) {
      const found = listAt(pod.manifest, 'spec', 'volumes').flatMap((volume) => {
        const claim = textAt(volume, 'persistentVolumeClaim', 'claimName');
        const name =
          claim ?? (valueAt(volume, ['ephemeral']) === undefined ? undefined : `${pod.name}-${textAt(volume, 'name')}`);
        return name === undefined ? [] : [volumeOf(`${pod.namespace}/${name}`, { claims, volumes, classes })];
      });
      return {
        constraints: found.flatMap(({ constraint }) => (constraint ? [constraint] : [])),
        attached: found.flatMap(({ attached }) => attached ?? []),
        notModelled: found.map(({ notModelled }) => notModelled).find((fault) => fault !== undefined),
      };
    },
    limitOf: (node, driver) =>
      numberAt(
        listAt(nodes.get(node), 'spec', 'drivers').find((item) => textAt(item, 'name') === driver),
        'allocatable',
        'count',
      ),
  };
}

interface OneVolume {
  readonly constraint?: readonly Requirements[];
  readonly attached?: VolumesOfPod['attached'][number];
  readonly notModelled?: string;
}

function volumeOf(
  key: string,
  { claims, volumes, classes }: Readonly<Record<'claims' | 'volumes' | 'classes', ReadonlyMap<string, Manifest>>>,
): OneVolume {
  const claim = claims.get(key);
  if (claim === undefined) return { notModelled: `PersistentVolumeClaim ${key}, which is not observed` };
  const bound = textAt(claim, 'spec', 'volumeName');
  if (bound) {
    const volume = volumes.get(bound);
    if (volume === undefined) return { notModelled: `PersistentVolume ${bound}, which is not observed` };
    const driver = textAt(volume, 'spec', 'csi', 'driver');
    const terms = listAt(volume, 'spec', 'nodeAffinity', 'required', 'nodeSelectorTerms');
    return {
      ...(terms.length === 0 ? {} : { constraint: terms.map(requirementsOfTerm) }),
      ...(driver === undefined ? {} : { attached: { driver, id: bound } }),
    };
  }
  const className = textAt(claim, 'spec', 'storageClassName');
  const storage = className === undefined ? undefined : classes.get(className);
  if (storage === undefined) return { notModelled: `PersistentVolumeClaim ${key}, whose StorageClass is not observed` };
  const driver = textAt(storage, 'provisioner');
  const terms = listAt(storage, 'allowedTopologies');
  return {
    ...(terms.length === 0 ? {} : { constraint: terms.map(requirementsOfTopology) }),
    ...(driver === undefined ? {} : { attached: { driver, id: key } }),
  };
}

const requirementsOfTopology = (term: unknown): Requirements =>
  requirementsOf(
    listAt(term, 'matchLabelExpressions').map((item) => ({
      key: textAt(item, 'key') ?? '',
      operator: 'In',
      values: listAt(item, 'values').map(String),
    })),
  );
