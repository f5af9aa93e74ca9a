import { isFields } from '../../engine/kernel/fields.ts';

/**
 * Why data of a member is not a Kubernetes object; undefined if it is one. The types of its `metadata` are then valid. Items of a
 * list need not have an apiVersion and a kind.
 */
export function objectFault(value: unknown): string | undefined {
  if (!isFields(value)) return 'it is not an object';
  const { apiVersion, kind, metadata } = value;
  if (!isText(apiVersion ?? '') || !isText(kind ?? '')) return 'its apiVersion or kind is not a string';
  if (!isFields(metadata)) return 'it has no metadata';
  if (typeof metadata['name'] !== 'string' || metadata['name'] === '') return 'its metadata has no name';
  for (const name of ['namespace', 'uid', 'resourceVersion', 'deletionTimestamp'])
    if (!isAbsent(metadata[name]) && typeof metadata[name] !== 'string') return `metadata.${name} is not a string`;
  if (!isAbsent(metadata['generation']) && typeof metadata['generation'] !== 'number')
    return 'metadata.generation is not a number';
  for (const name of ['labels', 'annotations'])
    if (!isAbsent(metadata[name]) && !isTexts(metadata[name])) return `metadata.${name} is not a map of strings`;
  for (const name of ['ownerReferences', 'managedFields'])
    if (!isAbsent(metadata[name]) && !isListOf(metadata[name], isFields))
      return `metadata.${name} is not a list of objects`;
  if (!isAbsent(metadata['finalizers']) && !isListOf(metadata['finalizers'], isText))
    return 'metadata.finalizers is not a list of strings';
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
