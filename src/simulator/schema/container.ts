import { all, bool, def, int, intOrString, list, listBy, map, obj, quantity, str } from './schema.ts';

export const quantities = map(quantity);
const reference = obj({ name: def(str, ''), optional: bool });
const keySelector = obj({ name: def(str, ''), key: str, optional: bool }, { atomic: true, required: ['key'] });
export const fieldRef = obj({ apiVersion: def(str, 'v1'), fieldPath: str }, { atomic: true, required: ['fieldPath'] });
export const resourceFieldRef = obj(
  { containerName: str, resource: str, divisor: def(quantity, '0') },
  { atomic: true, required: ['resource'] },
);

const envVar = obj(
  {
    name: str,
    value: str,
    valueFrom: obj({ configMapKeyRef: keySelector, secretKeyRef: keySelector, fieldRef, resourceFieldRef }),
  },
  { name: 'io.k8s.api.core.v1.EnvVar', required: ['name'] },
);

const httpHeaders = list(obj({ name: str, value: str }, { required: ['name', 'value'] }));
const exec = obj({ command: list(str) });
const httpGet = obj(
  { path: str, port: intOrString, host: str, scheme: def(str, 'HTTP'), httpHeaders },
  { required: ['port'] },
);
const tcpSocket = obj({ host: str, port: intOrString }, { required: ['port'] });
const handler = obj({ exec, httpGet, tcpSocket, sleep: obj({ seconds: int }) });
const probe = obj(
  {
    exec,
    httpGet,
    tcpSocket,
    grpc: obj({ port: int, service: def(str, '') }, { required: ['port'] }),
    initialDelaySeconds: int,
    timeoutSeconds: def(int, 1),
    periodSeconds: def(int, 10),
    successThreshold: def(int, 1),
    failureThreshold: def(int, 3),
    terminationGracePeriodSeconds: int,
  },
  { name: 'io.k8s.api.core.v1.Probe' },
);

export const seLinuxOptions = obj({ user: str, role: str, type: str, level: str });
export const windowsOptions = obj({
  ...all(str, 'gmsaCredentialSpecName gmsaCredentialSpec runAsUserName'),
  hostProcess: bool,
});
export const profile = obj({ type: str, localhostProfile: str }, { required: ['type'] });
const securityContext = obj({
  capabilities: obj({ add: list(str), drop: list(str) }),
  privileged: bool,
  seLinuxOptions,
  windowsOptions,
  runAsUser: int,
  runAsGroup: int,
  ...all(bool, 'runAsNonRoot readOnlyRootFilesystem allowPrivilegeEscalation'),
  procMount: str,
  seccompProfile: profile,
  appArmorProfile: profile,
});

export const resources = obj(
  {
    limits: quantities,
    requests: quantities,
    claims: listBy(['name'], obj({ name: str, request: str }, { required: ['name'] })),
  },
  { name: 'io.k8s.api.core.v1.ResourceRequirements' },
);

const containerFields = {
  name: str,
  image: str,
  command: list(str),
  args: list(str),
  workingDir: str,
  ports: listBy(
    ['containerPort', 'protocol'],
    obj(
      { name: str, hostPort: int, containerPort: int, protocol: def(str, 'TCP'), hostIP: str },
      { name: 'io.k8s.api.core.v1.ContainerPort', required: ['containerPort'] },
    ),
  ),
  envFrom: list(obj({ prefix: str, configMapRef: reference, secretRef: reference })),
  env: listBy(['name'], envVar),
  resources: def(resources, {}),
  resizePolicy: list(obj({ resourceName: str, restartPolicy: str })),
  restartPolicy: str,
  volumeMounts: listBy(
    ['mountPath'],
    obj(
      {
        name: str,
        readOnly: bool,
        ...all(str, 'recursiveReadOnly mountPath subPath mountPropagation subPathExpr'),
      },
      { name: 'io.k8s.api.core.v1.VolumeMount', required: ['name', 'mountPath'] },
    ),
  ),
  volumeDevices: listBy(['devicePath'], obj({ name: str, devicePath: str }, { required: ['name', 'devicePath'] })),
  livenessProbe: probe,
  readinessProbe: probe,
  startupProbe: probe,
  lifecycle: obj({ postStart: handler, preStop: handler, stopSignal: str }),
  terminationMessagePath: def(str, '/dev/termination-log'),
  terminationMessagePolicy: def(str, 'File'),
  imagePullPolicy: str,
  securityContext,
  ...all(bool, 'stdin stdinOnce tty'),
};
export const container = obj(containerFields, { name: 'io.k8s.api.core.v1.Container', required: ['name'] });
export const ephemeralContainer = obj({ ...containerFields, targetContainerName: str }, { required: ['name'] });
