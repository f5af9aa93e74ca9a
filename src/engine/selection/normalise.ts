import type { Manifest } from '../../api/meta.ts';
import type { HubObject } from '../input.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { type Fields, isFields } from '../kernel/fields.ts';
import { memoize, memoizePair } from '../kernel/memoize.ts';
import { isConfigMapEnvelope } from './envelope.ts';

/**
 * What of an object goes into a snapshot: everything but what a server or kubectl wrote into it. The same file gives the
 * same manifest value in every pass. In a ConfigMap envelope, each manifest that the loader has parsed stands as JSON
 * text under its key, so that a snapshot can be unpacked without a YAML parser.
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
 * Strips what no manifest may ask a member for: what selected objects have lost already, those in envelopes may still have
 * (KubeFleet work applier, apply.go, sanitizeManifestObject). Addresses and ports in an envelope are meant for members.
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
/** What KubeFleet's member agent writes on objects: copied from a member, they would speak of another manifest. */
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

/** Addresses and ports that a hub's API server gave belong to that cluster. A headless service stays headless. */
function normaliseService(spec: Fields): Fields {
  const addressed = typeof spec['clusterIP'] === 'string' && spec['clusterIP'] !== 'None';
  const kept = without(spec, addressed ? ['clusterIP', 'clusterIPs', 'healthCheckNodePort'] : ['healthCheckNodePort']);
  const { ports } = kept;
  if (!Array.isArray(ports) || !ports.some((port) => isFields(port) && Object.hasOwn(port, 'nodePort'))) return kept;
  return { ...kept, ports: ports.map((port) => (isFields(port) ? without(port, ['nodePort']) : port)) };
}

/** The selector and labels that an API server writes into a Job name that server's uid of it. */
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

/** `fields` with `change` done to the object under `key`; itself when there is none or nothing changed. */
function at(fields: Fields, key: string, change: (value: Fields) => Fields): Fields {
  const value = fields[key];
  if (!isFields(value)) return fields;
  const changed = change(value);
  return changed === value ? fields : { ...fields, [key]: changed };
}

/** `fields` without the keys; itself when it has none of them. */
function without(fields: Fields, keys: readonly string[]): Fields {
  if (!keys.some((key) => Object.hasOwn(fields, key))) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key)));
}
