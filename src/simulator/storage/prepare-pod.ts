import { at, fieldsAt, listAt, textAt } from '../../engine/kernel/at.ts';
import type { Fields } from '../schema/schema.ts';

export const inSpec = (object: Fields, spec: Fields): Fields => ({
  ...object,
  spec: { ...fieldsAt(object, 'spec'), ...spec },
});

export const ownSpec = (pod: Fields): Fields => ({ ...pod, spec: podSpec(fieldsAt(pod, 'spec'), true) });

/** A new pod waits for a node, unless it existed before its kubelet. */
export const ownStatus = (pod: Fields): Fields =>
  pod['status'] === undefined ? { ...pod, status: { phase: 'Pending', qosClass: qosOf(fieldsAt(pod, 'spec')) } } : pod;

/** Adds the defaults of a pod to the pod template of a workload. */
export function templated(object: Fields): Fields {
  const template = fieldsAt(object, 'spec', 'template');
  if (at(template, 'spec') === undefined) return object;
  const metadata = { creationTimestamp: null, ...fieldsAt(template, 'metadata') };
  return inSpec(object, { template: { ...template, metadata, spec: podSpec(fieldsAt(template, 'spec'), false) } });
}

function podSpec(spec: Fields, alone: boolean): Fields {
  const account = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount') || (alone ? 'default' : '');
  const containers = (key: string): Fields =>
    at(spec, key) === undefined ? {} : { [key]: listAt(spec, key).map(container) };
  return {
    ...spec,
    ...containers('containers'),
    ...containers('initContainers'),
    ...(account === '' ? {} : { serviceAccountName: account, serviceAccount: account }),
    ...(alone && at(spec, 'enableServiceLinks') === undefined ? { enableServiceLinks: true } : {}),
    ...(alone && at(spec, 'priority') === undefined ? { priority: 0, preemptionPolicy: 'PreemptLowerPriority' } : {}),
  };
}

function container(value: unknown): unknown {
  const image = textAt(value, 'image');
  const tag = /:([^/:@]+)(@|$)/.exec(image)?.[1];
  const latest = !image.includes('@') && (tag === undefined || tag === 'latest');
  const limits = fieldsAt(value, 'resources', 'limits');
  const requests = { ...limits, ...fieldsAt(value, 'resources', 'requests') };
  return {
    ...(value as Fields),
    imagePullPolicy: textAt(value, 'imagePullPolicy') || (latest ? 'Always' : 'IfNotPresent'),
    ...(Object.keys(limits).length > 0 ? { resources: { ...fieldsAt(value, 'resources'), requests } } : {}),
  };
}

function qosOf(spec: Fields): string {
  const containers = listAt(spec, 'containers');
  const asks = (container: unknown) => ({
    ...fieldsAt(container, 'resources', 'limits'),
    ...fieldsAt(container, 'resources', 'requests'),
  });
  if (containers.every((container) => Object.keys(asks(container)).length === 0)) return 'BestEffort';
  const guaranteed = containers.every((container) => {
    const limits = fieldsAt(container, 'resources', 'limits');
    const requests = { ...limits, ...fieldsAt(container, 'resources', 'requests') };
    return ['cpu', 'memory'].every((name) => limits[name] !== undefined && limits[name] === requests[name]);
  });
  return guaranteed ? 'Guaranteed' : 'Burstable';
}
