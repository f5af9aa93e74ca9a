import { describe, expect, it } from 'vitest';
import { shownDetails, wholeObject } from '../../../src/engine/bindings/conditions/patch-details.ts';

describe('of a Secret', () => {
  const secret = { kind: 'Secret' };
  const hidden = '(redacted for security reasons)';

  it.each([
    ['a value', { path: '/data/a', valueInMember: 'b25l', valueInHub: 'dHdv' }],
    ['a value that only the member has', { path: '/data/a', valueInMember: 'b25l' }],
    [
      'what kubectl keeps',
      {
        path: '/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration',
        valueInHub: '{}',
      },
    ],
    ['the object itself, if an observation has it', { path: '/', valueInHub: '{"data":{"a":"b25l"}}' }],
  ])('%s is hidden', (_, detail) => {
    const keys = Object.keys(detail).filter((key) => key !== 'path');
    expect(shownDetails(secret, [detail])).toEqual([
      { path: detail.path, ...Object.fromEntries(keys.map((key) => [key, hidden])) },
    ]);
  });

  it.each([
    ['that it is missing', wholeObject],
    ['its type', { path: '/type', valueInMember: 'Opaque', valueInHub: 'kubernetes.io/tls' }],
    ['a label', { path: '/metadata/labels/a', valueInMember: 'b' }],
  ])('%s is shown', (_, detail) => {
    expect(shownDetails(secret, [detail])).toEqual([detail]);
  });
});

it('a Secret of another group is no Secret of Kubernetes', () => {
  const detail = { path: '/data/a', valueInMember: 'b' };
  expect(shownDetails({ group: 'example.com', kind: 'Secret' }, [detail])).toEqual([detail]);
});
