import type { Fleet } from '../input.ts';
import { shortList } from '../kernel/short-list.ts';

const unknown = {
  MaintenanceConfiguration: 'maintenance windows',
  VersionCatalog: 'versions and node images',
} as const;

/**
 * Why the windows of members, or the versions of regions, are not known, as a clause; undefined = they are. They are not recorded,
 * so an invalid file has no last good version. It must not be taken for no window, nor for no catalog: until it is fixed nothing starts.
 */
export function unreadSettings(
  { refused, unreadable }: Pick<Fleet, 'refused' | 'unreadable'>,
  kind: keyof typeof unknown,
): string | undefined {
  const names = refused.flatMap((ref) => (ref.kind === kind ? [ref.name] : []));
  if (names.length > 0) return `${unknown[kind]} are unknown until ${kind} ${shortList(names)} is valid`;
  const [file] = unreadable;
  return file === undefined ? undefined : `${unknown[kind]} are unknown until ${file} can be read`;
}
