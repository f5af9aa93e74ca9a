import { describe, expect, it } from 'vitest';
import type { RegionCatalog } from '../../../src/engine/upgrade/catalog.ts';
import { consistentImages } from '../../../src/engine/upgrade/consistent-images.ts';
import { regionCatalog } from './catalog-of.ts';

const ubuntu = (version: string) => `AKSUbuntu-2204-${version}`;
const member = (catalog: RegionCatalog | undefined, ...images: readonly (string | undefined)[]) => ({
  versions: { controlPlane: 'v1.30.9', pools: images.map((image, at) => ({ name: `np${at}`, image })) },
  catalog,
});
const region = (name: string, ...images: readonly string[]) => regionCatalog({ images }, name);
const [old, middle, recent] = [ubuntu('202509.10.0'), ubuntu('202510.12.0'), ubuntu('202510.17.0')];

describe('Consistent images', () => {
  // update-runs.md §4.4: 10.12 is the newest in X, 10.17 in Y.
  it('are the newest that every region has', () => {
    const [x, y] = [region('x', old, middle), region('y', old, middle, recent)];
    expect(consistentImages([member(x, old), member(y, old)])).toEqual({ selected: [middle], without: [] });
  });

  it('are in the history of every region, where the newest of one never came to another', () => {
    const [x, y] = [region('x', old, middle), region('y', old, recent)];
    expect(consistentImages([member(x, old), member(y, old)])).toEqual({ selected: [old], without: [] });
  });

  it('are chosen for each family by the regions that have pools of it', () => {
    const windows = 'AKSWindows-2022-20348.3207.250214';
    const [x, y] = [region('x', old, windows), region('y', old, middle)];
    expect(consistentImages([member(x, windows), member(y, old, old)])).toEqual({
      selected: [middle, windows],
      without: [],
    });
  });

  it('are none where regions have nothing in common', () => {
    const [x, y] = [region('x', old), region('y', recent)];
    expect(consistentImages([member(x, old), member(y, old)])).toEqual({ selected: [], without: ['AKSUbuntu-2204'] });
  });

  it('do not depend on regions of which no images are known', () => {
    const bare = regionCatalog({ kubernetes: ['1.31.5'] }, 'bare');
    expect(consistentImages([member(undefined, old), member(bare, old), member(region('x', old), old)])).toEqual({
      selected: [old],
      without: [],
    });
    expect(consistentImages([member(undefined, old)])).toEqual({ selected: [], without: ['AKSUbuntu-2204'] });
  });

  it('ignore pools without an image that can be read', () => {
    const x = region('x', old);
    expect(consistentImages([member(x, undefined, 'Ubuntu 22.04')])).toEqual({ selected: [], without: [] });
  });

  it.each([
    ['of all families of its region', [region('x', old)], [old]],
    ['common with the regions that have pools of them', [region('x', old, middle), region('y', old)], [old]],
    ['of those regions, where there is none in common', [region('x', recent), region('y', old)], [old]],
  ])('for a member that was never observed: %s', (_, [x, ...others], selected) => {
    const observed = others.map((catalog) => member(catalog, old));
    expect(consistentImages([{ versions: undefined, catalog: x }, ...observed])).toEqual({ selected, without: [] });
  });
});
