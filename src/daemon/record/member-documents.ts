import { posix } from 'node:path';
import type { Problem } from '../../api/problem.ts';
import type { Plan, RecordDocument } from '../../engine/plan-document.ts';
import { nodesTargets } from '../../engine/target-kinds.ts';
import { bytesIn, type StatusText, unpacked, valuesIn } from '../../repo/record/status-text.ts';
import { packRecord } from '../../repo/record/write.ts';
import { recordLimits, tooLarge } from '../../repo/too-large.ts';

/**
 * The plan without documents that what a member reports makes too large: a record with them would not be written, and no other
 * member would get anything. They stay as they are on the status branch, and commands for nodes that are not recorded are left out.
 */
export function withoutLargeDocuments(
  plan: Plan,
  before: ReadonlyMap<string, StatusText>,
): { readonly plan: Plan; readonly problems: readonly Problem[] } {
  const large = largeDocuments(plan.record);
  if (large.size === 0) return { plan, problems: [] };
  const record = new Map(plan.record);
  for (const path of large.keys()) {
    const text = before.get(path);
    if (text === undefined) record.delete(path);
    else record.set(path, { kind: 'text', value: { text: unpacked(text) } });
  }
  const unrecorded = nodesTargets(plan.targets).filter(({ clusterName }) => largeNodes(large).has(clusterName));
  return {
    plan: { ...plan, record, targets: plan.targets.filter((target) => !unrecorded.some((it) => it === target)) },
    problems: [...large].map(([path, reason]) => ({
      severity: 'error',
      code: 'file-too-large',
      file: `(status branch) ${path}`,
      message: `this file is not written, because of what member ${memberOf(path)} reports: ${reason}`,
      fix: `find out what responds as ${memberOf(path)}`,
    })),
  };
}

const largeNodes = (large: ReadonlyMap<string, string>): ReadonlySet<string> =>
  new Set([...large.keys()].flatMap((path) => (path.startsWith('nodes/') ? [memberOf(path)] : [])));

/** Documents of members that must not be written, by path, with the reason. */
function largeDocuments(record: Plan['record']): ReadonlyMap<string, string> {
  const texts = packRecord(new Map([...record].filter(isOfMember)));
  const { bytes, allBytes, separators } = recordLimits.ofMember;
  const found = new Map<string, string>();
  for (const [path, text] of texts)
    if (valuesIn(text) > separators) found.set(path, `the file has more values than ${Math.floor(separators)}`);
  const sizes = new Map(
    [...texts].flatMap(([path, text]) => (found.has(path) ? [] : [[path, bytesIn(text)] as const])),
  );
  for (const files of Map.groupBy(sizes, ([path]) => memberOf(path)).values())
    for (const [path, reason] of tooLarge(new Map(files), { file: bytes, total: bytes })) found.set(path, reason);
  const left = new Map([...sizes].filter(([path]) => !found.has(path)));
  for (const [path, reason] of tooLarge(left, { file: bytes, total: allBytes })) found.set(path, reason);
  return found;
}

/** `clusters/<m>.yaml`, `nodes/<m>.yaml` and `placements/<[ns.]name>/mirrored/<m>.yaml`, each possibly in a shard. */
const isOfMember = ([path, { kind }]: readonly [string, RecordDocument]): boolean =>
  kind === 'object' && (path.startsWith('clusters/') || path.startsWith('nodes/') || path.includes('/mirrored/'));

const memberOf = (path: string): string => posix.basename(path, '.yaml');
