import type { Manifest } from '../../../api/meta.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';
import { parseDuration } from '../../kernel/duration.ts';
import { type Instant, parseInstant } from '../../kernel/instant.ts';
import { memoize } from '../../kernel/memoize.ts';
import { asSet, orNever, type Pool, templateText } from '../../node-pools/pool.ts';
import { conditionAt, fieldsAt, listAt, textAt, valueAt } from '../../node-pools/read-fields.ts';
import { allowsLabels, labelAt } from '../../node-pools/requirements.ts';
import { type Taint, taintsAt } from '../../node-pools/taints.ts';
import type { Claim } from '../cluster/claim.ts';
import type { ClusterNode } from '../cluster/cluster-nodes.ts';
import { capacityLabel, type Market, typeLabel, zoneLabel } from '../launch/market.ts';

/** Why a node differs from what its pool would launch now. */
export interface Drift {
  readonly reason: string;
  /** When it began, as far as that is known; otherwise now. */
  readonly since: Instant;
}

export interface DriftContext {
  readonly market: Market;
  /** Node classes by `group/kind/name`. */
  readonly classes: ReadonlyMap<string, Manifest>;
  readonly digest: (text: string) => string;
  readonly now: Instant;
}

/** The first reason that we predict, or else the one that Karpenter reports. */
export function driftOf(node: ClusterNode, context: DriftContext): Drift | undefined {
  const { claim, pool } = node;
  if (claim === undefined || pool === undefined) return undefined;
  const live = conditionAt(claim.manifest, 'Drifted');
  const isLive = live?.['status'] === 'True';
  const reason = predicted(node, claim, pool, context) ?? (isLive ? textAt(live, 'reason') || 'Drifted' : undefined);
  if (reason === undefined) return undefined;
  const since = isLive ? parseInstant(textAt(live, 'lastTransitionTime') ?? '') : undefined;
  return { reason, since: since ?? context.now };
}

function predicted(node: ClusterNode, claim: Claim, pool: Pool, context: DriftContext): string | undefined {
  if (!pool.hasTemplate) return undefined;
  if (templateDiffers(claim, pool, context)) return 'NodePoolDrifted';
  if (!allowsLabels(pool.template.requirements, claim.labels)) return 'RequirementsDrifted';
  if (isTypeGone(claim, context)) return 'InstanceTypeNotFound';
  return ofClass(node, claim, pool, context);
}

export const templateDigest = (pool: Pool, digest: DriftContext['digest']): string =>
  `sha256:${digest(templateText(pool))}`;

/** By the digest of the day on which the claim was first seen; before that day by what the claim shows. */
function templateDiffers(claim: Claim, pool: Pool, { digest }: DriftContext): boolean {
  return claim.recorded?.template === undefined
    ? showsOtherTemplate(claim, pool)
    : claim.recorded.template !== templateDigest(pool, digest);
}

/** Whether a claim shows that it was made from another template. Its node carries the labels and annotations of a template too. */
export function showsOtherTemplate({ labels, annotations, spec }: Claim, pool: Pool): boolean {
  const { template } = pool;
  if (isMissing(template.labels, labels) || isMissing(template.annotations, annotations)) return true;
  const ref = fieldsAt(spec, 'nodeClassRef');
  const group = textAt(ref, 'group') ?? textAt(ref, 'apiVersion')?.split('/')[0];
  const isOtherClass =
    template.nodeClass !== undefined &&
    spec['nodeClassRef'] !== undefined &&
    (textAt(ref, 'name') !== template.nodeClass.name ||
      textAt(ref, 'kind') !== template.nodeClass.kind ||
      group !== template.nodeClass.group);
  const [expireAfter, grace] = [textAt(spec, 'expireAfter'), textAt(spec, 'terminationGracePeriod')];
  const ownGrace = pool.terminationGracePeriod;
  return (
    isOtherClass ||
    otherTaints(spec, 'taints', template.taints) ||
    otherTaints(spec, 'startupTaints', template.startupTaints) ||
    (expireAfter !== undefined && orNever(expireAfter) !== pool.expireAfterMs) ||
    (grace !== undefined && parseDuration(grace) !== (ownGrace === undefined ? undefined : parseDuration(ownGrace)))
  );
}

const isMissing = (wanted: Readonly<Record<string, string>>, shown: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).some(([key, value]) => shown[key] !== value);

const otherTaints = (spec: Claim['spec'], field: string, wanted: readonly Taint[]): boolean =>
  Array.isArray(spec[field]) && canonicalJson(asSet(taintsAt(spec, field))) !== canonicalJson(asSet(wanted));

const hourMs = 3_600_000;

/** From when on a type that the catalog lacks is drift. */
export const typeCheckedAt = ({ createdAt }: Claim): Instant => createdAt + hourMs + 1;

/** The catalog lacks the type, or offers it neither in the zone nor with the capacity type of the claim, available or not. */
function isTypeGone(claim: Claim, { market, now }: DriftContext): boolean {
  if (market.types === undefined || now < typeCheckedAt(claim)) return false;
  const { labels } = claim;
  const name = labelAt(labels, typeLabel);
  const type = name === undefined ? undefined : market.types.get(name);
  if (type === undefined) return true;
  const [zone, capacityType] = [labelAt(labels, zoneLabel), labels[capacityLabel]];
  return !type.offerings.some(
    (offering) =>
      (zone === undefined || offering.zone === zone) &&
      (capacityType === undefined ||
        offering.capacityType === capacityType ||
        (capacityType === 'reserved' && offering.capacityType === 'on-demand')),
  );
}

export const classKey = ({ group, kind, name }: NonNullable<Pool['template']['nodeClass']>): string =>
  `${group}/${kind}/${name}`;

export const classOfPool = (pool: Pool, classes: DriftContext['classes']): Manifest | undefined =>
  pool.template.nodeClass && classes.get(classKey(pool.template.nodeClass));

/** Of the spec of a node class without its tags, which are changed in place. */
export const classDigest = (manifest: Manifest, digest: DriftContext['digest']): string =>
  `sha256:${digest(classText(manifest))}`;

const classDefaults = { imageFamily: 'Ubuntu', osDiskSizeGB: 128 };

const classText = memoize((manifest: Manifest) => {
  const { tags: _, ...spec } = fieldsAt(manifest, 'spec');
  // A file leaves out what the API server fills in.
  return canonicalJson(manifest.kind === 'AKSNodeClass' ? { ...classDefaults, ...spec } : spec);
});

function ofClass(node: ClusterNode, claim: Claim, pool: Pool, { classes, digest }: DriftContext): string | undefined {
  const manifest = classOfPool(pool, classes);
  if (manifest === undefined) return undefined;
  const recorded = claim.recorded?.nodeClass;
  if (recorded !== undefined && recorded !== classDigest(manifest, digest)) return 'NodeClassDrift';
  const wanted = textAt(manifest, 'status', 'kubernetesVersion');
  const runs = textAt(node.manifest, 'status', 'nodeInfo', 'kubeletVersion');
  if (wanted && runs && isSet(manifest, 'KubernetesVersionReady') && bare(wanted) !== bare(runs))
    return 'K8sVersionDrift';
  const images = listAt(manifest, 'status', 'images').flatMap((image) => textAt(image, 'id') ?? []);
  const image = textAt(claim.manifest, 'status', 'imageID');
  const areKnown = valueAt(manifest, ['status', 'images']) !== undefined && isSet(manifest, 'ImagesReady');
  return image && areKnown && !images.includes(image) ? 'ImageDrift' : undefined;
}

/** A status that is not ready is skipped, not failed. */
const isSet = (manifest: Manifest, type: string): boolean =>
  (conditionAt(manifest, type)?.['status'] ?? 'True') === 'True';

const bare = (version: string): string => version.replace(/^v/, '');
