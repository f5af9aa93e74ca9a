import { at, fieldsAt, listAt, textAt } from '../../engine/kernel/at.ts';
import type { Stored } from '../object.ts';
import { ageOf, humanDuration } from './age.ts';
import type { Column } from './kind.ts';

/** The cells of kubectl's tables (printers/internalversion/printers.go). */
type Cell = Column['cell'];

export const none = (text: string): string => (text === '' ? '<none>' : text);
export const pairs = (object: unknown): string =>
  none(
    Object.entries((object ?? {}) as Record<string, string>)
      .map(([key, value]) => `${key}=${value}`)
      .join(','),
  );
export const dataCount: Cell = (object) =>
  Object.keys(fieldsAt(object, 'data')).length + Object.keys(fieldsAt(object, 'binaryData')).length;

export function podStatusText(pod: Stored): string {
  let reason = textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase');
  for (const status of listAt(pod, 'status', 'containerStatuses')) {
    const waiting = textAt(status, 'state', 'waiting', 'reason');
    const terminated = textAt(status, 'state', 'terminated', 'reason');
    if (waiting !== '') reason = waiting;
    else if (terminated !== '') reason = terminated;
  }
  return pod.metadata.deletionTimestamp === undefined ? reason : 'Terminating';
}
export const readyContainers: Cell = (pod) => {
  const statuses = listAt(pod, 'status', 'containerStatuses');
  return `${statuses.filter((status) => at(status, 'ready') === true).length}/${listAt(pod, 'spec', 'containers').length}`;
};
export const portsText: Cell = (service) =>
  none(
    listAt(service, 'spec', 'ports')
      .map((port) => {
        const nodePort = at(port, 'nodePort');
        return `${textAt(port, 'port')}${nodePort === undefined ? '' : `:${String(nodePort)}`}/${textAt(port, 'protocol')}`;
      })
      .join(','),
  );
export const externalIP: Cell = (service) => {
  const ips = [...listAt(service, 'spec', 'externalIPs').map(String)];
  if (textAt(service, 'spec', 'type') === 'ExternalName') return textAt(service, 'spec', 'externalName');
  for (const entry of listAt(service, 'status', 'loadBalancer', 'ingress')) {
    ips.push(textAt(entry, 'ip') || textAt(entry, 'hostname'));
  }
  if (ips.length > 0) return ips.join(',');
  return textAt(service, 'spec', 'type') === 'LoadBalancer' ? '<pending>' : '<none>';
};
export const nodeStatus: Cell = (node) => {
  const ready = listAt(node, 'status', 'conditions').find((item) => textAt(item, 'type') === 'Ready');
  const state = textAt(ready, 'status') === 'True' ? 'Ready' : ready ? 'NotReady' : 'Unknown';
  return at(node, 'spec', 'unschedulable') === true ? `${state},SchedulingDisabled` : state;
};
export const nodeRoles: Cell = (node) =>
  none(
    Object.keys(node.metadata.labels ?? {})
      .filter((key) => key.startsWith('node-role.kubernetes.io/'))
      .map((key) => key.slice('node-role.kubernetes.io/'.length))
      .join(','),
  );
export const jobStatus: Cell = (job) => {
  const on = (type: string) =>
    listAt(job, 'status', 'conditions').some(
      (item) => textAt(item, 'type') === type && textAt(item, 'status') === 'True',
    );
  if (on('Complete')) return 'Complete';
  if (on('Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return on('Suspended') ? 'Suspended' : 'Running';
};
export const jobDuration: Cell = (job, now) => {
  const start = at(job, 'status', 'startTime');
  if (typeof start !== 'string') return '';
  const end = at(job, 'status', 'completionTime');
  return humanDuration((typeof end === 'string' ? Date.parse(end) : now) - Date.parse(start));
};
export const address: Cell = (ingress) =>
  listAt(ingress, 'status', 'loadBalancer', 'ingress')
    .map((entry) => textAt(entry, 'ip') || textAt(entry, 'hostname'))
    .join(',');
export const modes = (list: readonly unknown[]): string =>
  list
    .map((mode) => String(mode).replace(/[a-z]/g, ''))
    .map((short) => ({ RWO: 'RWO', ROM: 'ROX', RWM: 'RWX', RWOP: 'RWOP' })[short] ?? short)
    .join(',');
export const seen: Cell = (event, now) => {
  const instant = textAt(event, 'lastTimestamp') || textAt(event, 'eventTime') || event.metadata.creationTimestamp;
  return ageOf(instant, now);
};
