import type { Manifest } from '../../api/meta.ts';
import type { HubObject } from '../input.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { type Fields, isFields } from '../kernel/fields.ts';
import { memoize, memoizePair } from '../kernel/memoize.ts';
import { isConfigMapEnvelope } from './envelope.ts';

/**
 * The part of an object that goes into a snapshot: everything except fields that a server or kubectl writes. The same file gives
 * the same manifest value in every plan. In a ConfigMap envelope, each manifest that the loader parsed becomes JSON text under its
 * key, so that a snapshot can be unpacked without a YAML parser.
 */
export function contentOf(object: HubObject): Manifest {
  const { manifest, enveloped } = object;
  return enveloped && isConfigMapEnvelope(manifest) ? withTexts(manifest, enveloped) : normalise(manifest);
}

const withTexts = memoizePair((manifest: Manifest, enveloped: NonNullable<HubObject['enveloped']>) => {
  const data = Object.entries(enveloped).map(([key, inner]) => [key, canonicalJson(inner)]);
  return normalise({ ...manifest, data: { ...(manifest['data'] as object), ...Object.fromEntries(data) } });
});

/** Strips one manifest (KubeFleet generateRawContent). Returns the manifest itself when there is nothing to strip. */
export const normalise = memoize((manifest: Manifest): Manifest => {
  const written = withoutReadOnly(manifest, toolAnnotations);
  const spec = normaliseSpec(written);
  return spec === written['spec'] ? written : { ...written, spec };
});

/**
 * Strips fields that are never applied to a member. Selected objects have lost them already; contents of envelopes may still have
 * them (KubeFleet work applier, apply.go, sanitizeManifestObject). Addresses and ports in an envelope are meant for members.
 */
export const applicable = memoize(
  (manifest: Manifest): Manifest => withoutReadOnly(manifest, [...toolAnnotations, ...agentAnnotations]),
);

function withoutReadOnly(manifest: Manifest, annotations: readonly string[]): Manifest {
  const metadata = normaliseMetadata(manifest.metadata, annotations);
  if (metadata === manifest.metadata && !Object.hasOwn(manifest, 'status')) return manifest;
  const { status: _, ...rest } = manifest;
  return { ...rest, metadata };
}

const serverMetadata = [
  'resourceVersion',
  'generation',
  'uid',
  'selfLink',
  'deletionTimestamp',
  'managedFields',
  'creationTimestamp',
  'ownerReferences',
];
const toolAnnotations = ['kubectl.kubernetes.io/last-applied-configuration', 'deployment.kubernetes.io/revision'];
/** Annotations of KubeFleet's member agent. Copied from a member, they would describe another manifest. */
const agentAnnotations = ['kubernetes-fleet.io/spec-hash', 'kubernetes-fleet.io/last-applied-configuration'];

function normaliseMetadata(metadata: Manifest['metadata'], dropped: readonly string[]): Manifest['metadata'] {
  const kept = without(metadata, serverMetadata);
  if (!isFields(kept['annotations'])) return kept as Manifest['metadata'];
  const annotations = without(kept['annotations'], dropped);
  if (annotations === kept['annotations'] && Object.keys(annotations).length > 0) return kept as Manifest['metadata'];
  return (Object.keys(annotations).length > 0
    ? { ...kept, annotations }
    : without(kept, ['annotations'])) as unknown as Manifest['metadata'];
}

function normaliseSpec(manifest: Manifest): unknown {
  const spec = manifest['spec'];
  if (!isFields(spec)) return spec;
  if (manifest.kind === 'Service' && manifest.apiVersion === 'v1') return normaliseService(spec);
  if (manifest.kind === 'Job' && manifest.apiVersion === 'batch/v1') return normaliseJob(spec);
  return spec;
}

/** Strips addresses and ports that an API server assigned: they belong to its cluster. A headless service stays headless. */
function normaliseService(spec: Fields): Fields {
  const addressed = typeof spec['clusterIP'] === 'string' && spec['clusterIP'] !== 'None';
  const kept = without(spec, addressed ? ['clusterIP', 'clusterIPs', 'healthCheckNodePort'] : ['healthCheckNodePort']);
  const { ports } = kept;
  if (!Array.isArray(ports) || !ports.some((port) => isFields(port) && Object.hasOwn(port, 'nodePort'))) return kept;
  return { ...kept, ports: ports.map((port) => (isFields(port) ? without(port, ['nodePort']) : port)) };
}

/** Strips the selector and labels that an API server adds to a Job: they contain its uid there. */
function normaliseJob(spec: Fields): Fields {
  if (spec['manualSelector'] === true) return spec;
  const uidLabels = ['controller-uid', 'batch.kubernetes.io/controller-uid'];
  const selector = at(spec, 'selector', (value) => at(value, 'matchLabels', (labels) => without(labels, uidLabels)));
  return at(selector, 'template', (template) =>
    at(template, 'metadata', (metadata) =>
      at(without(metadata, ['creationTimestamp']), 'labels', (labels) => without(labels, uidLabels)),
    ),
  );
}

/** `fields` with `change` applied to the object under `key`; `fields` itself if nothing changes. */
function at(fields: Fields, key: string, change: (value: Fields) => Fields): Fields {
  const value = fields[key];
  if (!isFields(value)) return fields;
  const changed = change(value);
  return changed === value ? fields : { ...fields, [key]: changed };
}

/** `fields` without the keys; `fields` itself if it has none of them. */
function without(fields: Fields, keys: readonly string[]): Fields {
  if (!keys.some((key) => Object.hasOwn(fields, key))) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key)));
}
