import { describe, expect, it } from 'vitest';
import { formatMinor, formatVersion, parseVersion } from '../../../src/api/kubernetes-version.ts';
import { parseNodeImage } from '../../../src/api/node-image.ts';
import { parseInstant } from '../../../src/engine/kernel/instant.ts';
import {
  catalogOf,
  isLts,
  isPastSupport,
  knownImage,
  newestImage,
  newestMinor,
  newestPatch,
  oldestSupported,
  resolve,
} from '../../../src/engine/upgrade/catalog.ts';
import { regionCatalog, versionCatalogOf } from './catalog-of.ts';

const v = (text: string) => parseVersion(text)!;
const at = (instant: string) => parseInstant(instant)!;
const told = (version: ReturnType<typeof newestPatch>) => version && formatVersion(version);

describe('the catalog of a region', () => {
  const catalogs = [
    versionCatalogOf({ westeurope: { kubernetes: ['1.30.9'] }, northeurope: {} }, { provider: 'aks' }),
    versionCatalogOf({ westeurope: { kubernetes: ['1.31.5'] } }, { releaseTracker: 'https://example.com' }),
  ];

  it('adds up those for its provider and those for any', () => {
    const versions = (provider: string | undefined) =>
      catalogOf(catalogs, 'westeurope', provider)?.kubernetes.map(({ version }) => formatVersion(version));
    expect(versions('aks')).toEqual(['v1.30.9', 'v1.31.5']);
    expect(versions('cluster-api')).toEqual(['v1.31.5']);
    expect(versions(undefined)).toEqual(['v1.31.5']);
    expect(catalogOf(catalogs, 'westeurope', 'aks')?.releaseTracker).toBe('https://example.com');
  });

  it('is none where no catalog names the region, or the member has none', () => {
    expect(catalogOf(catalogs, 'eastus', 'aks')).toBeUndefined();
    expect(catalogOf(catalogs, 'northeurope', 'cluster-api')).toBeUndefined();
    expect(catalogOf(catalogs, undefined, 'aks')).toBeUndefined();
  });

  it('is one value for all members of the region', () => {
    expect(catalogOf(catalogs, 'westeurope', 'aks')).toBe(catalogOf(catalogs, 'westeurope', 'aks'));
  });
});

describe('Kubernetes versions of a region', () => {
  const catalog = regionCatalog({
    kubernetes: [
      '1.31.10',
      '1.31.9',
      { version: '1.32.0', preview: true },
      '1.33.0-rc.1',
      { version: 'v1.29.4', endOfSupport: '2026-03-31' },
      { version: '1.28.15', endOfSupport: '2025-11-30', lts: true },
      { version: '1.28.14', endOfSupport: '2025-10-31' },
      { version: '1.30.1+k3s1' },
      { version: '1.30.1+k3s2' },
    ],
  });

  it('of a minor the newest patch, by number and never a preview', () => {
    expect(told(newestPatch(catalog, v('1.31')))).toBe('v1.31.10');
    expect(newestPatch(catalog, v('1.32'))).toBeUndefined();
    expect(newestPatch(catalog, v('1.33'))).toBeUndefined();
    expect(formatMinor(newestMinor(catalog)!)).toBe('1.31');
  });

  it.each([
    ['1.31', 'v1.31.10'],
    ['1.31.9', 'v1.31.9'],
    ['1.31.8', undefined],
    ['1.32', undefined],
    ['1.32.0', 'v1.32.0'],
    ['1.30.1', 'v1.30.1+k3s2'],
    ['1.27', undefined],
  ])('%s is there as %s', (wanted, expected) => {
    expect(told(resolve(catalog, v(wanted)))).toBe(expected);
  });

  it('are supported to the end of the last day of any patch', () => {
    expect(isPastSupport(catalog, v('1.28'), at('2025-11-30T23:59:59Z'))).toBe(false);
    expect(isPastSupport(catalog, v('1.28'), at('2025-12-01T00:00:00Z'))).toBe(true);
    expect(isPastSupport(catalog, v('1.30'), at('2030-01-01T00:00:00Z'))).toBe(false);
    expect(formatMinor(oldestSupported(catalog, { at: at('2025-12-01T00:00:00Z'), past: v('1.28') })!)).toBe('1.29');
    expect(formatMinor(oldestSupported(catalog, { at: at('2026-04-01T00:00:00Z'), past: v('1.28') })!)).toBe('1.30');
  });

  it('have long-term support by the minor', () => {
    expect([isLts(catalog, v('1.28.14')), isLts(catalog, v('1.29'))]).toEqual([true, false]);
  });
});

describe('node images of a region', () => {
  const catalog = regionCatalog({
    images: [
      'AKSUbuntu-2204-202601.27.0',
      'AKSUbuntu-2204-202601.9.0',
      'AKSWindows-2022-20348.3207.250214',
      'no image',
    ],
  });

  it('of a family the newest', () => {
    expect(newestImage(catalog, 'AKSUbuntu-2204')?.text).toBe('AKSUbuntu-2204-202601.27.0');
    expect(newestImage(catalog, 'AKSUbuntu-2404')).toBeUndefined();
  });

  it('are there or not', () => {
    expect(knownImage(catalog, parseNodeImage('AKSUbuntu-2204-202601.9.0')!)?.image.text).toBe(
      'AKSUbuntu-2204-202601.9.0',
    );
    expect(knownImage(catalog, parseNodeImage('AKSUbuntu-2204-202601.10.0')!)).toBeUndefined();
  });
});
