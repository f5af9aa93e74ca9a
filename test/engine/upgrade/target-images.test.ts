import { describe, expect, it } from 'vitest';
import type { ObservedVersions } from '../../../src/api/observed-versions.ts';
import type { WantedUpgrade } from '../../../src/engine/upgrade/wanted-upgrade.ts';
import { regionCatalog } from './catalog-of.ts';
import { controlPlaneOnly, decide, image, nodeImageOnly, old, recent, running, summary } from './decide-target.ts';

describe('node images, Latest', () => {
  it.each<[string, ObservedVersions, string]>([
    [
      'are the newest of the family in the region',
      running('v1.30.9', ['v1.30.9', old], []),
      'NodeImageOnly: np1 202601.27.0 (pools already at or ahead of the target: np2)',
    ],
    ['are there already', running('v1.30.9'), 'at target: all node images are at or ahead of the target'],
    [
      'stay where nothing of the family is listed',
      running('v1.30.9', ['v1.30.9', image('202501.01.0', 'AKSUbuntu-2404')]),
      'at target: all node images are at or ahead of the target',
    ],
    [
      'stay where the pool is made from a snapshot',
      { controlPlane: 'v1.30.9', pools: [{ name: 'np1', kubernetes: 'v1.30.9', image: old, snapshot: true }] },
      'at target: all node images are at or ahead of the target',
    ],
    [
      'are left to the provider where they cannot be read',
      running('v1.30.9', ['v1.30.9', 'Ubuntu 22.04']),
      'NodeImageOnly: np1',
    ],
  ])('%s', (_, versions, expected) => {
    expect(summary(decide(versions, nodeImageOnly))).toBe(expected);
  });

  it('are left to the provider where nothing is known of the region', () => {
    expect(summary(decide(running('v1.30.9'), nodeImageOnly, { catalog: undefined }))).toBe('NodeImageOnly: np1');
    expect(decide(running('v1.31.5'), {}, { catalog: undefined }).kind).toBe('at-target');
  });
});

describe('node images, Consistent', () => {
  const consistent = (...selected: readonly string[]) => ({
    ...nodeImageOnly,
    images: { type: 'Consistent', selected } as const,
  });

  it.each<[string, ObservedVersions, Partial<WantedUpgrade>, string]>([
    [
      'are those that the run selected',
      running('v1.30.9', ['v1.30.9', image('202501.01.0')]),
      consistent(old),
      'NodeImageOnly: np1 202601.13.0',
    ],
    [
      'are never older ones',
      running('v1.30.9'),
      consistent(old),
      'at target: all node images are at or ahead of the target',
    ],
    [
      'of which one is missing: the member is skipped',
      running('v1.30.9', ['v1.30.9', old], ['v1.30.9', image('202501.01.0', 'AKSUbuntu-2404')]),
      consistent(recent),
      'skip NodeImageNotFound: no image of AKSUbuntu-2404, the family of pool np2, is common to all regions',
    ],
    [
      'of a pool that reports none',
      running('v1.30.9', ['v1.30.9', 'Ubuntu 22.04']),
      consistent(recent),
      'skip NodeImageNotFound: pool np1 reports no node image whose family and version can be read',
    ],
    [
      'that are not in the region are waited for',
      running('v1.30.9'),
      consistent(image('202602.01.0')),
      'wait NodeImageVersionNotAvailable: node image AKSUbuntu-2204-202602.01.0 of pool np1 is not available in westeurope yet; see https://releases.example.com',
    ],
  ])('%s', (_, versions, wanted, expected) => {
    expect(summary(decide(versions, wanted))).toBe(expected);
  });

  it('are not found where nothing is known of the region', () => {
    const target = decide(running('v1.30.9', ['v1.30.9', old]), consistent(recent), { catalog: undefined });
    expect(summary(target)).toBe('skip NodeImageNotFound: no VersionCatalog lists node images of westeurope');
  });

  it('do not matter to ControlPlaneOnly', () => {
    expect(
      summary(decide(running('v1.30.9'), { ...consistent(), ...controlPlaneOnly, kubernetesVersion: '1.31.5' })),
    ).toBe('ControlPlaneOnly: cp v1.31.5');
  });
});

describe('node images, Custom', () => {
  const custom = (...selected: readonly string[]) => ({ images: { type: 'Custom', selected } as const });
  const noble = image('202501.01.0', 'AKSUbuntu-2404');

  it.each<[string, ObservedVersions, Partial<WantedUpgrade>, string]>([
    [
      'are those listed',
      running('v1.30.9', ['v1.30.9', old]),
      { ...nodeImageOnly, ...custom(recent) },
      'NodeImageOnly: np1 202601.27.0',
    ],
    [
      'leave pools of other families, their Kubernetes version too',
      running('v1.30.9', ['v1.30.9', old], ['v1.30.9', noble]),
      custom(recent),
      'Full: cp v1.31.5, np1 v1.31.5 202601.27.0 (pools whose image family is not listed stay: np2)',
    ],
    [
      'leave all pools of a member',
      running('v1.30.9', ['v1.30.9', noble]),
      { ...nodeImageOnly, ...custom(recent) },
      'at target: no pool has an image of a family that is listed',
    ],
    [
      'that are not in the region are waited for',
      running('v1.30.9'),
      { ...nodeImageOnly, ...custom(image('202602.01.0')) },
      'wait NodeImageVersionNotAvailable: node image AKSUbuntu-2204-202602.01.0 of pool np1 is not available in westeurope yet; see https://releases.example.com',
    ],
  ])('%s', (_, versions, wanted, expected) => {
    expect(summary(decide(versions, wanted))).toBe(expected);
  });

  it('are taken as they are where nothing is known of the region', () => {
    const target = decide(
      running('v1.30.9', ['v1.30.9', old]),
      { ...nodeImageOnly, ...custom(recent) },
      { catalog: undefined },
    );
    expect(summary(target)).toBe('NodeImageOnly: np1 202601.27.0');
  });
});

describe('a target image that was released more than 90 days ago', () => {
  const aged = (released: string) =>
    decide(running('v1.30.9', ['v1.30.9', old], ['v1.30.9', old]), nodeImageOnly, {
      catalog: regionCatalog({ images: [{ version: recent, released }] }),
    });

  it('is a warning, once', () => {
    expect(aged('2026-08-01')).toMatchObject({
      warnings: [{ reason: 'NodeImageOOSLA', message: `node image ${recent} was released more than 90 days ago` }],
    });
    expect(aged('2026-11-01')).toMatchObject({ warnings: [] });
  });
});
