import type { Problem } from '../../api/problem.ts';
import { writtenRef } from '../../api/written-ref.ts';
import type { HubObject } from '../../engine/input.ts';
import { keyOfManifest, objectKey } from '../../engine/selection/object-key.ts';
import type { RepoTree } from '../tree.ts';
import { itemsOf } from '../yaml/items-of.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { decode } from './finding.ts';

/** Line of the document of each object, and its place in a List. */
export async function resourcePlaces(
  objects: readonly HubObject[],
  tree: RepoTree,
): Promise<ReadonlyMap<HubObject, Pick<Problem, 'line' | 'inside'>>> {
  const names = new Set(objects.map(({ file }) => file));
  const files = (await tree.files()).filter(({ path }) => names.has(path));
  const contents = await tree.read(files.map(({ oid }) => oid));
  const lines = new Map(
    files.flatMap(({ path, oid }) => {
      const bytes = contents.get(oid);
      return bytes ? written(path, decode(bytes)) : [];
    }),
  );
  return new Map(
    objects.map((object) => [object, lines.get(`${object.file} ${keyOfManifest(object.manifest)}`) ?? {}]),
  );
}

const written = (path: string, text: string): (readonly [string, Pick<Problem, 'line' | 'inside'>])[] =>
  parseYaml(text, path).documents.flatMap(({ value, line }) =>
    (itemsOf(value) ?? [value]).flatMap((item, at) => {
      const ref = writtenRef(item as object);
      const inside = item === value ? {} : { inside: ['items', at] };
      return ref ? [[`${path} ${objectKey(ref)}`, { line, ...inside }] as const] : [];
    }),
  );
