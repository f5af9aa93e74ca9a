import { error, type Issue } from '../../api/issue.ts';
import type { Fields } from '../../engine/kernel/fields.ts';
import { objectCauses } from '../../engine/server-rules/object-causes.ts';
import { causePath } from '../schemas/refusals.ts';

/**
 * Errors in the data of a ConfigMap or Secret that every API server refuses: keys and contents that its rules refuse, values that are
 * not strings, and data of a Secret that is not base64 (core/v1 types, `map[string]string` and `map[string][]byte`; null counts as empty).
 */
export function dataIssues(manifest: object): Issue[] {
  const fields = manifest as Fields;
  const { apiVersion, kind } = fields;
  if (apiVersion !== 'v1' || (kind !== 'ConfigMap' && kind !== 'Secret')) return [];
  const ofValues = (kind === 'Secret' ? ['data', 'stringData'] : ['data', 'binaryData']).flatMap((field) => {
    const isBytes = field === (kind === 'Secret' ? 'data' : 'binaryData');
    const entries = fields[field];
    if (typeof entries !== 'object' || entries === null) return [];
    return Object.entries(entries).flatMap(([key, value]): Issue[] => {
      const path = [field, key];
      if (typeof value !== 'string')
        return value === null
          ? []
          : [error('wrong-type', path, `${field}.${key} must be a string`, 'write it in quotes')];
      if (!isBytes || isBase64(value)) return [];
      const fix = kind === 'Secret' ? 'encode it, or put it under stringData' : 'encode it, or put it under data';
      return [error('invalid', path, `${field}.${key} must be base64`, fix)];
    });
  });
  return [...ofValues, ...refused(fields, kind)];
}

/** By the rules of servers. What is missing may come from an override. */
const refused = (manifest: Fields, kind: string): Issue[] =>
  objectCauses(manifest, { group: '', kind, custom: false }).flatMap(({ reason, field, why, fix }) => {
    if (reason !== 'FieldValueInvalid') return [];
    const [map = '', key = ''] = causePath(field);
    const place = map === 'data' && !Object.hasOwn(manifest[map] ?? {}, key) ? 'stringData' : String(map);
    return [error('invalid', [place, key], `${place}.${key}: ${why}`, fix!)];
  });

/** As Go decodes it: the standard alphabet, padded, without line breaks. */
function isBase64(text: string): boolean {
  const bare = text.replace(/[\r\n]/g, '');
  return bare.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(bare);
}
