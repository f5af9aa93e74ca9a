import { fieldRef, quantities, resourceFieldRef } from './container.ts';
import { labelSelector, objectMeta, typedReference } from './meta.ts';
import { all, any, bool, def, int, list, map, obj, quantity, str } from './schema.ts';

const keyToPath = list(obj({ key: str, path: str, mode: int }, { required: ['key', 'path'] }));
const downwardItems = list(obj({ path: str, fieldRef, resourceFieldRef, mode: int }, { required: ['path'] }));
const nameRef = obj({ name: def(str, '') }, { atomic: true });

export const pvcSpec = obj(
  {
    accessModes: list(str),
    selector: labelSelector,
    resources: obj({ limits: quantities, requests: quantities }),
    volumeName: str,
    storageClassName: str,
    volumeMode: def(str, 'Filesystem'),
    dataSource: typedReference,
    dataSourceRef: obj({ apiGroup: str, kind: str, name: str, namespace: str }),
    volumeAttributesClassName: str,
  },
  { name: 'io.k8s.api.core.v1.PersistentVolumeClaimSpec' },
);

export const volume = obj(
  {
    name: str,
    emptyDir: obj({ medium: str, sizeLimit: quantity }),
    hostPath: obj({ path: str, type: def(str, '') }, { required: ['path'] }),
    configMap: obj({ name: def(str, ''), items: keyToPath, defaultMode: def(int, 420), optional: bool }),
    secret: obj({ secretName: str, items: keyToPath, defaultMode: def(int, 420), optional: bool }),
    persistentVolumeClaim: obj({ claimName: str, readOnly: bool }, { required: ['claimName'] }),
    downwardAPI: obj({ items: downwardItems, defaultMode: def(int, 420) }),
    projected: obj({
      sources: list(
        obj({
          secret: obj({ name: def(str, ''), items: keyToPath, optional: bool }),
          configMap: obj({ name: def(str, ''), items: keyToPath, optional: bool }),
          downwardAPI: obj({ items: downwardItems }),
          serviceAccountToken: obj(
            { audience: str, expirationSeconds: def(int, 3600), path: str },
            { required: ['path'] },
          ),
          clusterTrustBundle: obj({ name: str, signerName: str, labelSelector, optional: bool, path: str }),
        }),
      ),
      defaultMode: def(int, 420),
    }),
    csi: obj(
      { driver: str, readOnly: bool, fsType: str, volumeAttributes: map(str), nodePublishSecretRef: nameRef },
      { required: ['driver'] },
    ),
    ephemeral: obj({ volumeClaimTemplate: obj({ metadata: objectMeta, spec: pvcSpec }) }),
    image: obj({ reference: str, pullPolicy: str }),
    nfs: obj({ server: str, path: str, readOnly: bool }, { required: ['server', 'path'] }),
    azureDisk: obj({ diskName: str, diskURI: str, cachingMode: str, fsType: str, readOnly: bool, kind: str }),
    azureFile: obj({ secretName: str, shareName: str, readOnly: bool }),
    awsElasticBlockStore: obj({ volumeID: str, fsType: str, partition: int, readOnly: bool }),
    gcePersistentDisk: obj({ pdName: str, fsType: str, partition: int, readOnly: bool }),
    ...all(any, 'iscsi fc cephfs rbd flexVolume'),
    gitRepo: obj({ repository: str, revision: str, directory: str }),
  },
  { name: 'io.k8s.api.core.v1.Volume', required: ['name'] },
);
