import type { Manifest } from '../../api/meta.ts';
import { allowWindowsAnnotation, expiryAnnotation } from '../../api/nodes/disruption-modes.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { parseDuration } from '../kernel/duration.ts';
import { memoize } from '../kernel/memoize.ts';
import { zeroBudgets } from './allow-windows.ts';
import { type Budgets, readBudgets } from './budgets.ts';
import { conditionAt, fieldsAt, listAt, numberAt, textAt, textsAt } from './read-fields.ts';
import { type Requirements, requirementsOf, type WrittenRequirement } from './requirements.ts';
import { type Amounts, amountsOf } from './resources.ts';
import { type Taint, taintsAt } from './taints.ts';

/**
 * How expiry behaves (docs/compatibility.md): forceful since Karpenter v1, graceful where a file writes expireAfter in the old place. The
 * pool that is delivered has it in the new one, and says by an annotation that it is graceful.
 */
export type Profile = 'karpenter-1.14' | 'karpenter-v1beta1';

/** A NodePool on one cluster, read as far as it can be. */
export interface Pool {
  readonly name: string;
  readonly manifest: Manifest;
  readonly profile: Profile;
  readonly budgets: Budgets;
  readonly policy: 'WhenEmpty' | 'WhenEmptyOrUnderutilized' | 'Balanced';
  /** Undefined = Never. */
  readonly consolidateAfterMs: number | undefined;
  /** Undefined = Never. */
  readonly expireAfterMs: number | undefined;
  /** The file says it, where it is not Karpenter's default. */
  readonly writesExpireAfter: boolean;
  readonly terminationGracePeriod: string | undefined;
  /** Set = static: the number of nodes is not a matter of consolidation. */
  readonly replicas: number | undefined;
  readonly weight: number;
  /** Resources in the units of Amounts, `nodes` among them; undefined = no limits. */
  readonly limits: Amounts | undefined;
  readonly template: Template;
  /** False: its file is a fragment, and says nothing about the nodes that it would make. */
  readonly hasTemplate: boolean;
  /** Nothing is launched from it: it is being deleted, not ready, static or has no template. */
  readonly canLaunch: boolean;
}

export interface Template {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly startupTaints: readonly Taint[];
  readonly requirements: Requirements;
  readonly nodeClass: { readonly group: string; readonly kind: string; readonly name: string } | undefined;
}

export const isNodePool = ({ kind, apiVersion }: Pick<Manifest, 'kind' | 'apiVersion'>): boolean =>
  kind === 'NodePool' && apiVersion.startsWith('karpenter.sh/');

const defaultExpiry = '720h';

/** Reads a NodePool of any shape. `live`: the object on the cluster, which knows whether the pool is ready. */
export function readPool(manifest: Manifest, live: Manifest | undefined): Pool {
  const disruption = fieldsAt(manifest, 'spec', 'disruption');
  const spec = fieldsAt(manifest, 'spec', 'template', 'spec');
  const [own, old] = [textAt(spec, 'expireAfter'), textAt(disruption, 'expireAfter')];
  const annotated = manifest.metadata.annotations?.[expiryAnnotation];
  const isGraceful = own === undefined ? old !== undefined : annotated === 'graceful';
  const policy = textAt(disruption, 'consolidationPolicy');
  const replicas = numberAt(manifest, 'spec', 'replicas');
  const hasTemplate = fieldsAt(manifest, 'spec')['template'] !== undefined;
  const isReady = (conditionAt(live, 'Ready')?.['status'] ?? 'True') === 'True';
  const isBeingDeleted = live?.metadata.deletionTimestamp != null;
  return {
    name: manifest.metadata.name,
    manifest,
    profile: isGraceful ? 'karpenter-v1beta1' : 'karpenter-1.14',
    budgets: withAllowWindows(readBudgets(disruption['budgets']), manifest),
    policy: policy === 'WhenEmpty' || policy === 'Balanced' ? policy : 'WhenEmptyOrUnderutilized',
    consolidateAfterMs: orNever(textAt(disruption, 'consolidateAfter') ?? '0s'),
    expireAfterMs: orNever(own ?? old ?? defaultExpiry),
    writesExpireAfter: (own ?? old) !== undefined,
    terminationGracePeriod: textAt(spec, 'terminationGracePeriod'),
    replicas,
    weight: numberAt(manifest, 'spec', 'weight') ?? 0,
    limits: limitsAt(manifest),
    template: templateOf(manifest),
    hasTemplate,
    canLaunch: hasTemplate && isReady && !isBeingDeleted && replicas === undefined,
  };
}

/** Milliseconds; undefined for Never, and for what cannot be read. */
export const orNever = (text: string): number | undefined => (text === 'Never' ? undefined : parseDuration(text));

/** The zero budgets of windows that are not compiled yet; windows that cannot be read allow nothing. */
function withAllowWindows(budgets: Budgets, { metadata }: Manifest): Budgets {
  const written = metadata.annotations?.[allowWindowsAnnotation];
  if (written === undefined || budgets === 'invalid') return budgets;
  const zero = zeroBudgets(written);
  if (!zero.ok) return 'invalid';
  const closed = readBudgets(zero.budgets);
  return closed === 'invalid' ? 'invalid' : [...budgets, ...closed];
}

function limitsAt(manifest: Manifest): Amounts | undefined {
  const limits = fieldsAt(manifest, 'spec', 'limits');
  return Object.keys(limits).length === 0 ? undefined : amountsOf(limits);
}

function templateOf(manifest: Manifest): Template {
  const template = fieldsAt(manifest, 'spec', 'template');
  const ref = fieldsAt(template, 'spec', 'nodeClassRef');
  const [kind, name] = [textAt(ref, 'kind'), textAt(ref, 'name')];
  const group = textAt(ref, 'group') ?? textAt(ref, 'apiVersion')?.split('/')[0];
  return {
    labels: textsAt(template, 'metadata', 'labels'),
    annotations: textsAt(template, 'metadata', 'annotations'),
    taints: taintsAt(template, 'spec', 'taints'),
    startupTaints: taintsAt(template, 'spec', 'startupTaints'),
    requirements: requirementsOf(listAt(template, 'spec', 'requirements').flatMap(requirementOf)),
    nodeClass: group !== undefined && kind !== undefined && name !== undefined ? { group, kind, name } : undefined,
  };
}

function requirementOf(written: unknown): WrittenRequirement[] {
  const [key, operator] = [textAt(written, 'key'), textAt(written, 'operator')];
  if (key === undefined || operator === undefined) return [];
  const values = listAt(written, 'values').map(String);
  return [{ key, operator, values, minValues: numberAt(written, 'minValues') }];
}

/**
 * What of a template makes nodes drift when it changes (core `pkg/apis/v1/nodepool.go`, Hash): lists are sets, and what is empty is as
 * if it were absent; durations count by value. Requirements are no part of it.
 */
export const templateText = memoize(({ template, expireAfterMs, terminationGracePeriod }: Pool): string =>
  canonicalJson({
    labels: emptyAsAbsent(template.labels),
    annotations: emptyAsAbsent(template.annotations),
    taints: asSet(template.taints),
    startupTaints: asSet(template.startupTaints),
    nodeClass: template.nodeClass,
    expireAfter: expireAfterMs ?? 'Never',
    terminationGracePeriod: terminationGracePeriod === undefined ? undefined : parseDuration(terminationGracePeriod),
  }),
);

const emptyAsAbsent = (map: Readonly<Record<string, string>>) => (Object.keys(map).length === 0 ? undefined : map);

export const asSet = (taints: readonly Taint[]): readonly string[] | undefined =>
  taints.length === 0 ? undefined : [...new Set(taints.map((taint) => canonicalJson(taint)))].sort();
