import type { Manifest } from '../../api/meta.ts';
import { memoize } from '../kernel/memoize.ts';
import { jsonTextOf } from './content-hash.ts';

/** KubeFleet's limit for the JSON of one resource snapshot, in bytes, by the size limit of API servers. */
const mostBytes = 800 * 1024;

/**
 * Into how many snapshots KubeFleet would split these manifests: greedily in order, at most 800 KiB of JSON each, a larger object
 * alone, and one empty snapshot for no manifests. Git has no such limit, so only the number is used.
 */
export function countGroups(manifests: readonly Manifest[]): number {
  let groups = 1;
  let bytes = 0;
  for (const manifest of manifests) {
    const size = sizeOf(manifest);
    if (bytes > 0 && bytes + size > mostBytes) {
      groups += 1;
      bytes = 0;
    }
    bytes += size;
  }
  return groups;
}

const sizeOf = memoize((manifest: Manifest) => utf8Length(jsonTextOf(manifest)));

function utf8Length(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // A surrogate pair is two units and four bytes: one extra byte for each half.
    if (unit > 0x7f) length += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return length;
}
