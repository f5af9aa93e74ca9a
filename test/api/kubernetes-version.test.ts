import { describe, expect, it } from 'vitest';
import {
  compareVersions,
  formatVersion,
  minorsBetween,
  parseVersion,
  reaches,
} from '../../src/api/kubernetes-version.ts';

const version = (text: string) => parseVersion(text)!;

describe('a Kubernetes version', () => {
  it.each([
    ['1.31', 'v1.31'],
    ['V1.31.5', 'v1.31.5'],
    ['v1.31.5', 'v1.31.5'],
    ['1.32.0-rc.1', 'v1.32.0-rc.1'],
    ['v1.30.9+k3s1', 'v1.30.9+k3s1'],
    ['v1.30.9+rke2r2', 'v1.30.9+rke2r2'],
    ['v1.30.9-eks-1234abc', 'v1.30.9-eks-1234abc'],
    ['v1.30.9-gke.1200', 'v1.30.9-gke.1200'],
    ['v1.30.9-rc.1+k3s1', 'v1.30.9-rc.1+k3s1'],
  ])('is read from %s', (text, expected) => {
    expect(formatVersion(version(text))).toBe(expected);
  });

  it.each(['', '1', 'v1', '1.31.', '1.31.x', 'latest', '1.31-rc', '1.31.5.1', 'w1.31.5'])('is not %j', (text) => {
    expect(parseVersion(text)).toBeUndefined();
  });

  it.each([
    ['v1.9.0', 'v1.10.0'],
    ['v1.31.9', 'v1.31.10'],
    ['v1.31', 'v1.31.0'],
    ['v1.32.0-alpha.1', 'v1.32.0-beta.0'],
    ['v1.32.0-rc.2', 'v1.32.0-rc.10'],
    ['v1.32.0-rc.1', 'v1.32.0'],
    ['v1.30.9+k3s1', 'v1.30.9+k3s2'],
    ['v1.30.9+k3s2', 'v1.30.9+k3s10'],
    ['v1.30.9-gke.99', 'v1.30.9-gke.1200'],
    ['v1.30.9+k3s2', 'v1.30.10+k3s1'],
  ])('%s is older than %s', (older, newer) => {
    expect(compareVersions(version(older), version(newer))).toBeLessThan(0);
    expect(compareVersions(version(newer), version(older))).toBeGreaterThan(0);
  });

  it('of a vendor equals the one without', () => {
    expect(compareVersions(version('v1.30.9+k3s1'), version('1.30.9'))).toBe(0);
  });

  it.each([
    ['v1.31.5', '1.31.5', true],
    ['v1.31.6', '1.31.5', true],
    ['v1.31.4', '1.31.5', false],
    ['v1.31.0', '1.31', true],
    ['v1.32.0', '1.31', true],
    ['v1.30.9', '1.31', false],
    ['v1.31.5-rc.1', '1.31.5', false],
    ['v1.31.5+k3s1', '1.31.5', true],
  ])('%s reaches %s: %s', (running, wanted, expected) => {
    expect(reaches(version(running), version(wanted))).toBe(expected);
  });

  it('is so many minors behind another', () => {
    expect(minorsBetween(version('1.29.3'), version('v1.31.5'))).toBe(2);
    expect(minorsBetween(version('1.31.3'), version('v1.29.5'))).toBe(-2);
    expect(minorsBetween(version('1.31.3'), version('v2.0.0'))).toBe(Number.POSITIVE_INFINITY);
  });
});
