import type { LabelSelector } from '../../../api/meta.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';
import type { Labels } from '../../kernel/selector.ts';
import { type HostPort, hostPortsOf } from '../../node-pools/host-ports.ts';
import { requirementsOfTerm } from '../../node-pools/node-terms.ts';
import { fieldsAt, listAt, numberAt, textAt, textsAt, valueAt } from '../../node-pools/read-fields.ts';
import { type Requirements, requirementsOf } from '../../node-pools/requirements.ts';
import { hasField, nodeSelectorOf, type Pod } from '../cluster/pod.ts';
import type { Volumes, VolumesOfPod } from './volumes.ts';

/** What scheduling reads of a pod. Pods of one template share one value. */
export interface PodClass {
  readonly id: number;
  readonly namespace: string;
  readonly labels: Labels;
  /** By resource index of the simulation. */
  readonly needs: Float64Array;
  readonly tolerations: readonly unknown[];
  /** Each has to be fulfilled by one of its alternatives. */
  readonly constraints: readonly (readonly Requirements[])[];
  /** `matchFields` on the name of the node; undefined = any. */
  readonly nodeNames: ReadonlySet<string> | undefined;
  readonly hostPorts: readonly HostPort[];
  readonly volumes: readonly VolumesOfPod['attached'][number][];
  readonly spread: readonly SpreadTerm[];
  readonly affinity: readonly PodTerm[];
  readonly antiAffinity: readonly PodTerm[];
  /** What of it the simulation does not model; such a pod is never moved. */
  readonly notModelled: string | undefined;
}

/** Pods near which, or far from which, a pod has to run. */
export interface PodTerm {
  readonly topologyKey: string;
  /** Undefined = all. */
  readonly namespaces: ReadonlySet<string> | undefined;
  readonly selector: LabelSelector;
}

export interface SpreadTerm extends PodTerm {
  readonly maxSkew: number;
  readonly minDomains: number;
  /** Counts pods on nodes that the pod itself could run on. */
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
}

/** Pods with this text are scheduled alike. */
export function classText(pod: Pod): string {
  const spec = fieldsAt(pod.manifest, 'spec');
  return canonicalJson([
    pod.namespace,
    pod.labels,
    [...pod.requests].sort(),
    spec['nodeSelector'] ?? null,
    spec['affinity'] ?? null,
    spec['tolerations'] ?? null,
    spec['topologySpreadConstraints'] ?? null,
    listAt(spec, 'containers').flatMap((container) =>
      listAt(container, 'ports').filter((port) => numberAt(port, 'hostPort')),
    ),
    listAt(spec, 'volumes').filter(
      (volume) => valueAt(volume, ['persistentVolumeClaim']) ?? valueAt(volume, ['ephemeral']),
    ),
    listAt(spec, 'volumes').some((volume) => valueAt(volume, ['ephemeral'])) ? pod.name : null,
    spec['resourceClaims'] ?? null,
    spec['resources'] ?? null,
  ]);
}

export function podClass(
  pod: Pod,
  {
    id,
    volumes,
    indexOf,
    namespaces,
  }: {
    readonly id: number;
    readonly volumes: Volumes;
    /** Of a resource. */
    readonly indexOf: ReadonlyMap<string, number>;
    /** Labels of the observed namespaces. */
    readonly namespaces: ReadonlyMap<string, Labels>;
  },
): PodClass {
  const needs = new Float64Array(indexOf.size);
  for (const [name, amount] of pod.requests) needs[indexOf.get(name)!] = amount;
  const ofVolumes = volumes.of(pod);
  const terms = {
    spread: spreadTerms(pod),
    affinity: podTerms(pod, 'podAffinity'),
    anti: podTerms(pod, 'podAntiAffinity'),
  };
  const faults = [
    ofVolumes.notModelled,
    hasField(pod, 'spec', 'resourceClaims') ? 'its resourceClaims' : undefined,
    hasField(pod, 'spec', 'resources') ? 'resources of the pod as a whole' : undefined,
    fieldFault(pod),
    [...terms.affinity, ...terms.anti].map((term) => termFault(term, namespaces)).find((fault) => fault !== undefined),
  ];
  return {
    id,
    namespace: pod.namespace,
    labels: pod.labels,
    needs,
    tolerations: listAt(pod.manifest, 'spec', 'tolerations'),
    constraints: [...nodeConstraints(pod), ...ofVolumes.constraints],
    nodeNames: nodeNamesOf(pod),
    hostPorts: hostPortsOf(pod.manifest),
    volumes: ofVolumes.attached,
    spread: terms.spread,
    affinity: terms.affinity.map((term) => readTerm(term, pod, namespaces)),
    antiAffinity: terms.anti.map((term) => readTerm(term, pod, namespaces)),
    notModelled: faults.find((fault) => fault !== undefined),
  };
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution';

function nodeConstraints(pod: Pod): (readonly Requirements[])[] {
  const selector = Object.entries(nodeSelectorOf(pod));
  const own = requirementsOf(selector.map(([key, value]) => ({ key, operator: 'In', values: [value] })));
  const affinity = valueAt(pod.manifest, ['spec', 'affinity', 'nodeAffinity', required]);
  const terms = listAt(affinity, 'nodeSelectorTerms').filter(
    (term) => listAt(term, 'matchExpressions').length + listAt(term, 'matchFields').length > 0,
  );
  return [
    ...(selector.length === 0 ? [] : [[own]]),
    // Terms are alternatives; without one nothing matches.
    ...(affinity === undefined ? [] : [terms.map(requirementsOfTerm)]),
  ];
}

const fieldTermsOf = (pod: Pod): readonly unknown[] =>
  listAt(pod.manifest, 'spec', 'affinity', 'nodeAffinity', required, 'nodeSelectorTerms').filter(
    (term) => listAt(term, 'matchFields').length > 0,
  );

/** One term with one field `metadata.name In` is how DaemonSets pin their pods; anything else is not modelled. */
function fieldFault(pod: Pod): string | undefined {
  const terms = fieldTermsOf(pod);
  if (terms.length === 0) return undefined;
  const all = listAt(pod.manifest, 'spec', 'affinity', 'nodeAffinity', required, 'nodeSelectorTerms');
  return all.length === 1 && nodeNamesOf(pod) !== undefined ? undefined : 'matchFields of its node affinity';
}

function nodeNamesOf(pod: Pod): ReadonlySet<string> | undefined {
  const [term] = fieldTermsOf(pod);
  const fields = listAt(term, 'matchFields');
  const [field] = fields;
  const isName = fields.length === 1 && textAt(field, 'key') === 'metadata.name' && textAt(field, 'operator') === 'In';
  return isName ? new Set(listAt(field, 'values').map(String)) : undefined;
}

/** ScheduleAnyway is a preference: nothing is refused for it. */
const spreadTerms = (pod: Pod): SpreadTerm[] =>
  listAt(pod.manifest, 'spec', 'topologySpreadConstraints')
    .filter((item) => (textAt(item, 'whenUnsatisfiable') ?? 'DoNotSchedule') === 'DoNotSchedule')
    .map((item) => ({
      topologyKey: textAt(item, 'topologyKey') ?? '',
      namespaces: new Set([pod.namespace]),
      selector: withOwnValues(selectorAt(item, 'labelSelector'), listAt(item, 'matchLabelKeys'), pod.labels),
      maxSkew: numberAt(item, 'maxSkew') ?? 1,
      minDomains: numberAt(item, 'minDomains') ?? 1,
      honorsAffinity: textAt(item, 'nodeAffinityPolicy') !== 'Ignore',
      honorsTaints: textAt(item, 'nodeTaintsPolicy') === 'Honor',
    }));

const podTerms = (pod: Pod, which: 'podAffinity' | 'podAntiAffinity'): readonly unknown[] =>
  listAt(pod.manifest, 'spec', 'affinity', which, required);

/** A selector that is not there selects nothing; an empty one everything. */
const selectorAt = (item: unknown, field: string): LabelSelector => {
  const found = valueAt(item, [field]);
  return found === undefined || found === null ? nothing : (found as LabelSelector);
};

const nothing: LabelSelector = { matchExpressions: [{ key: 'never', operator: 'In', values: [] }] };

function withOwnValues(selector: LabelSelector, keys: readonly unknown[], labels: Labels): LabelSelector {
  const own = Object.fromEntries(
    keys.map(String).flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]]])),
  );
  return Object.keys(own).length === 0 ? selector : { ...selector, matchLabels: { ...selector.matchLabels, ...own } };
}

function readTerm(term: unknown, pod: Pod, namespaces: ReadonlyMap<string, Labels>): PodTerm {
  const selector = withOwnValues(selectorAt(term, 'labelSelector'), listAt(term, 'matchLabelKeys'), pod.labels);
  return {
    topologyKey: textAt(term, 'topologyKey') ?? '',
    selector,
    namespaces: namespacesOf(term, pod.namespace, namespaces),
  };
}

function namespacesOf(
  term: unknown,
  own: string,
  namespaces: ReadonlyMap<string, Labels>,
): ReadonlySet<string> | undefined {
  const listed = listAt(term, 'namespaces').map(String);
  const selector = valueAt(term, ['namespaceSelector']);
  if (selector === undefined || selector === null) return new Set(listed.length === 0 ? [own] : listed);
  const wanted = Object.entries(textsAt(selector, 'matchLabels'));
  if (wanted.length === 0) return undefined;
  const selected = [...namespaces].flatMap(([name, labels]) =>
    wanted.every(([key, value]) => labels[key] === value) ? [name] : [],
  );
  return new Set([...listed, ...selected]);
}

function termFault(term: unknown, namespaces: ReadonlyMap<string, Labels>): string | undefined {
  if (listAt(term, 'mismatchLabelKeys').length > 0) return 'mismatchLabelKeys of its pod affinity';
  const selector = valueAt(term, ['namespaceSelector']);
  if (selector === undefined || selector === null) return undefined;
  if (listAt(selector, 'matchExpressions').length > 0) return 'the namespaceSelector of its pod affinity';
  const needsLabels = Object.keys(textsAt(selector, 'matchLabels')).length > 0;
  return needsLabels && namespaces.size === 0
    ? 'the namespaceSelector of its pod affinity: no Namespace is observed'
    : undefined;
}
