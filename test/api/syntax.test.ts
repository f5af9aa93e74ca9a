import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/api/syntax.ts';

describe('a hint', () => {
  it.each([
    ['wbe', ['web', 'pay'], 'web'],
    ['plcement', ['placement', 'problem'], 'placement'],
    ['stagin-2', ['staging-1', 'staging-2'], 'staging-2'],
    ['numberOfCluster', ['numberOfClusters'], 'numberOfClusters'],
    ['nubmerOfClsuter', ['numberOfClusters'], 'numberOfClusters'],
    ['paymentz', ['payments', 'payment'], 'payments'],
    ['EU-1', ['eu-1'], 'eu-1'],
    ['us1', ['us-1'], 'us-1'],
  ])('for %s among %j is %s', (word, among, expected) => {
    expect(nearest(word, among)).toBe(expected);
  });

  it.each([
    ['gold', ['a']],
    ['dev', ['pay', 'web']],
    ['testing-7', ['staging-2']],
    ['nightly-2', ['staging-2']],
    ['prod-us-west', ['prod-eu-1', 'prod-us-1']],
    ['x', []],
    ['internationalization', ['normalization']],
  ])('is not given for %s, which is like nothing of %j', (word, among) => {
    expect(nearest(word, among)).toBeUndefined();
  });

  it('is not given for a word longer than any name, and none that long is a hint', () => {
    const long = 'a'.repeat(254);
    expect(nearest(`${long}b`, [long])).toBeUndefined();
    expect(nearest('a', [long])).toBeUndefined();
    expect(nearest(`${'ab'.repeat(126)}x`, ['ab'.repeat(126)])).toBe('ab'.repeat(126));
  });
});
