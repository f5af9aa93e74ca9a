import { nearest } from '../../api/syntax.ts';
import { groupVersionOf } from '../../engine/selection/group-version.ts';

/** kubectl's short names of common kinds. */
const shortNames: Readonly<Record<string, string>> = {
  cj: 'cronjob',
  cm: 'configmap',
  crd: 'customresourcedefinition',
  deploy: 'deployment',
  ds: 'daemonset',
  hpa: 'horizontalpodautoscaler',
  ing: 'ingress',
  netpol: 'networkpolicy',
  ns: 'namespace',
  pc: 'priorityclass',
  pdb: 'poddisruptionbudget',
  pv: 'persistentvolume',
  pvc: 'persistentvolumeclaim',
  quota: 'resourcequota',
  rs: 'replicaset',
  sa: 'serviceaccount',
  sc: 'storageclass',
  sts: 'statefulset',
  svc: 'service',
};

/**
 * Whether `word` means this kind: its name, a plural of it, or kubectl's short name; `.group` narrows,
 * and so does `.version.group`, with nothing after the last dot for the core group (`pods.v1.`).
 */
export function meansKind(word: string, of: { readonly apiVersion: string; readonly kind: string }): boolean {
  const [name = '', ...group] = word.toLowerCase().split('.');
  if (group.length > 0 && !groupsOf(of.apiVersion).includes(group.join('.'))) return false;
  const kind = of.kind.toLowerCase();
  return [kind, `${kind}s`, `${kind}es`, kind.replace(/y$/, 'ies')].includes(shortNames[name] ?? name);
}

/** The kind that a misspelt word is closest to; undefined where the word names one, or is like none: custom kinds are not all known. */
export function likelyKind(word: string, kinds: readonly string[]): string | undefined {
  const name = word.toLowerCase().split('.')[0]!;
  if (kinds.some((kind) => meansKind(name, { apiVersion: 'v1', kind }))) return undefined;
  return nearest(
    name,
    kinds.map((kind) => kind.toLowerCase()),
  );
}

/** Ways to write group and version behind a kind. */
function groupsOf(apiVersion: string): readonly string[] {
  const { group, version } = groupVersionOf(apiVersion);
  return [group, `${version}.${group}`];
}
