import { isManifest } from '../../api/is-manifest.ts';
import type { Manifest } from '../../api/meta.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { memoize } from '../kernel/memoize.ts';
import { byText } from '../kernel/ordering.ts';
import { describeObject, groupVersionOf } from './group-version.ts';
import { builtInScope } from './scope.ts';

export type EnvelopeType = 'ClusterResourceEnvelope' | 'ResourceEnvelope' | 'ConfigMap';

/** A reference to the envelope of an object, as KubeFleet's failedPlacements show it. */
export interface EnvelopeRef {
  readonly name: string;
  readonly namespace?: string;
  readonly type: EnvelopeType;
}

export type Unpacked =
  | { readonly ok: true; readonly envelope: EnvelopeRef; readonly manifests: readonly Manifest[] }
  /** A user error: one sentence that names the envelope and the entry. */
  | { readonly ok: false; readonly message: string };

/**
 * The contents of an envelope; undefined for any other object. Entries are ordered by their JSON text, greatest first
 * (KubeFleet workgenerator envelope.go). A cluster envelope takes cluster-scoped objects only, a namespaced one objects
 * of its own namespace only, an annotated ConfigMap both (docs/compatibility.md).
 */
export const unpack = (manifest: Manifest): Unpacked | undefined =>
  envelopeTypeOf(manifest) === undefined ? undefined : opened(manifest);

/**
 * KubeFleet's older envelope: a ConfigMap with an annotation. It is accepted in v1 and v1beta1; KubeFleet removed it from v1
 * (docs/compatibility.md).
 */
export const isConfigMapEnvelope = (manifest: Manifest): boolean =>
  manifest.kind === 'ConfigMap' &&
  manifest.apiVersion === 'v1' &&
  manifest.metadata.annotations?.['kubernetes-fleet.io/envelope-configmap'] === 'true';

/** Memoized for envelopes only, since most manifests are not envelopes. */
const opened = memoize((manifest: Manifest) => open(manifest, envelopeTypeOf(manifest)!));

function envelopeTypeOf(manifest: Manifest): EnvelopeType | undefined {
  if (isConfigMapEnvelope(manifest)) return 'ConfigMap';
  const { kind } = manifest;
  if (kind !== 'ClusterResourceEnvelope' && kind !== 'ResourceEnvelope') return undefined;
  return groupVersionOf(manifest.apiVersion).group === 'placement.kubernetes-fleet.io' ? kind : undefined;
}

function open(manifest: Manifest, type: EnvelopeType): Unpacked {
  const { name, namespace } = manifest.metadata;
  const envelope: EnvelopeRef = { name, ...(namespace ? { namespace } : {}), type };
  const manifests: { readonly inner: Manifest; readonly text: string }[] = [];
  for (const [key, value] of Object.entries((manifest['data'] ?? {}) as Readonly<Record<string, unknown>>)) {
    const wrong = (what: string): Unpacked => ({
      ok: false,
      message: `${describeObject(manifest)}, entry ${JSON.stringify(key)}: ${what}`,
    });
    const inner = type === 'ConfigMap' ? parsed(value) : value;
    if (inner === undefined)
      return wrong('the text is not one manifest that could be read; write one object per entry');
    if (!isManifest(inner)) return wrong('not an object with apiVersion, kind and metadata.name');
    const complaint = misplaced(inner, envelope);
    if (complaint) return wrong(complaint);
    manifests.push({ inner, text: canonicalJson(inner) });
  }
  manifests.sort((a, b) => byText(b.text, a.text));
  return { ok: true, envelope, manifests: manifests.map(({ inner }) => inner) };
}

/** The loader has converted YAML to JSON (normalise.ts); a record written by hand may contain JSON too. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

function misplaced(inner: Manifest, envelope: EnvelopeRef): string | undefined {
  const object = describeObject(inner);
  const { namespace } = inner.metadata;
  const needsNamespace = builtInScope(groupVersionOf(inner.apiVersion).group, inner.kind) === 'Namespaced';
  if (envelope.type === 'ClusterResourceEnvelope') {
    if (!namespace && !needsNamespace) return undefined;
    return `the namespaced object ${object} is wrapped in a ClusterResourceEnvelope; use a ResourceEnvelope in its namespace`;
  }
  if (namespace) {
    if (namespace === envelope.namespace) return undefined;
    return `${object} is wrapped in an envelope of another namespace, ${envelope.namespace ?? '(none)'}`;
  }
  if (envelope.type === 'ConfigMap' && !needsNamespace) return undefined;
  return `${object} names no namespace; an envelope of namespace ${envelope.namespace ?? '(none)'} holds objects of that namespace${
    envelope.type === 'ConfigMap'
      ? ' and cluster-scoped ones'
      : '; put cluster-scoped ones in a ClusterResourceEnvelope'
  }`;
}
