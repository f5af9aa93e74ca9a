import { at, fieldsAt, listAt } from '../kernel/at.ts';
import { type Fields, isFields } from '../kernel/fields.ts';
import { type Cause, forbiddenField, invalidField, requiredField } from './cause.ts';
import { quantityOf } from './resource-causes.ts';

/** The spec of a PersistentVolumeClaim (core validation, ValidatePersistentVolumeClaimSpec). */
export function claimCauses(spec: unknown, prefix: string): Cause[] {
  const storage = at(spec, 'resources', 'requests', 'storage') ?? null;
  const amount = quantityOf(storage);
  return [
    ...modeCauses(spec, prefix),
    ...(storage === null ? [requiredField(`${prefix}.resources[storage]`)] : []),
    ...(amount !== undefined && amount <= 0
      ? [
          invalidField(
            `${prefix}.resources.requests.storage`,
            String(storage),
            'must be greater than zero',
            'write for example 1Gi',
          ),
        ]
      : []),
  ];
}

const modeCauses = (spec: unknown, prefix: string): Cause[] =>
  listAt(spec, 'accessModes').length === 0
    ? [requiredField(`${prefix}.accessModes`, 'at least 1 access mode is required')]
    : [];

/** Objects in the spec of a volume that are not where its storage is. */
const noSources = new Set(['capacity', 'claimRef', 'nodeAffinity']);

/** A PersistentVolume (core validation, ValidatePersistentVolumeSpec). */
export function volumeObjectCauses({ spec }: Fields): Cause[] {
  if (!isFields(spec)) return [];
  const sources = Object.keys(spec).filter((name) => isFields(spec[name]) && !noSources.has(name));
  return [
    ...modeCauses(spec, 'spec'),
    ...(Object.keys(fieldsAt(spec, 'capacity')).length === 0 ? [requiredField('spec.capacity')] : []),
    ...(sources.length === 0
      ? [requiredField('spec', 'must specify a volume type', 'add for example csi, nfs or hostPath')]
      : []),
    ...sources.slice(1).map((source) => ({
      ...forbiddenField(`spec.${source}`, 'may not specify more than 1 volume type'),
      fix: 'keep one source',
    })),
  ];
}

/** Bounds of a LimitRange (core validation, ValidateLimitRange). */
export const limitRangeCauses = (range: Fields): Cause[] =>
  listAt(range, 'spec', 'limits').flatMap((item, index) => {
    const most = fieldsAt(item, 'max');
    return Object.entries(fieldsAt(item, 'min')).flatMap(([name, least]) => {
      const [low, high] = [quantityOf(least), quantityOf(most[name])];
      if (low === undefined || high === undefined || low <= high) return [];
      const why = `min value ${String(least)} is greater than max value ${String(most[name])}`;
      return [invalidField(`spec.limits[${index}].min[${name}]`, String(least), why, 'lower it, or raise max')];
    });
  });
