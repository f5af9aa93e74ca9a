import { isFields } from '../../engine/kernel/fields.ts';

/**
 * Why what a member sent is no object of Kubernetes; undefined when it is one. Whoever reads `metadata` may rely on its types then.
 * Items of a list need not have an apiVersion and a kind.
 */
export function objectFault(value: unknown): string | undefined {
  if (!isFields(value)) return 'it is no object';
  const { apiVersion, kind, metadata } = value;
  if (!isText(apiVersion ?? '') || !isText(kind ?? '')) return 'its apiVersion or kind is no text';
  if (!isFields(metadata)) return 'it has no metadata';
  if (typeof metadata['name'] !== 'string' || metadata['name'] === '') return 'its metadata has no name';
  for (const name of ['namespace', 'uid', 'resourceVersion', 'deletionTimestamp'])
    if (!isAbsent(metadata[name]) && typeof metadata[name] !== 'string') return `metadata.${name} is no text`;
  if (!isAbsent(metadata['generation']) && typeof metadata['generation'] !== 'number')
    return 'metadata.generation is no number';
  for (const name of ['labels', 'annotations'])
    if (!isAbsent(metadata[name]) && !isTexts(metadata[name])) return `metadata.${name} are no texts by name`;
  for (const name of ['ownerReferences', 'managedFields'])
    if (!isAbsent(metadata[name]) && !isListOf(metadata[name], isFields))
      return `metadata.${name} is no list of objects`;
  if (!isAbsent(metadata['finalizers']) && !isListOf(metadata['finalizers'], isText))
    return 'metadata.finalizers is no list of texts';
  return undefined;
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;
const isText = (value: unknown): value is string => typeof value === 'string';
const isListOf = (value: unknown, is: (item: unknown) => boolean): boolean => Array.isArray(value) && value.every(is);

function isTexts(value: unknown): boolean {
  if (!isFields(value)) return false;
  for (const name in value) if (typeof value[name] !== 'string') return false;
  return true;
}
