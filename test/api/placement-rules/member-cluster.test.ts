import { describe, expect, it } from 'vitest';
import { validateFleetObject } from '../../../src/api/validate.ts';
import { errors, type Fields, times } from './findings.ts';

describe.each(['v1', 'v1beta1'])('in %s', (version) => {
  describe('a MemberCluster', () => {
    const member = (spec: Fields, name = 'a') => ({
      apiVersion: `cluster.kubernetes-fleet.io/${version}`,
      kind: 'MemberCluster',
      metadata: { name },
      spec,
    });
    const taint = { key: 'a', effect: 'NoSchedule' };
    it.each<[rule: string, document: unknown, expected: readonly string[]]>([
      ['a name of at most 63 characters', member({}, 'a'.repeat(64)), ['error name-too-long metadata.name']],
      [
        'a heartbeat of 1 s or more',
        member({ heartbeatPeriodSeconds: 0 }),
        ['error out-of-range spec.heartbeatPeriodSeconds'],
      ],
      [
        'and at most 600 s',
        member({ heartbeatPeriodSeconds: 601 }),
        ['error out-of-range spec.heartbeatPeriodSeconds'],
      ],
      ['a taint', member({ taints: [taint] }), []],
      [
        'the one effect there is',
        member({ taints: [{ ...taint, effect: 'NoExecute' }] }),
        ['error invalid-value spec.taints.0.effect'],
      ],
      ['an effect is needed', member({ taints: [{ key: 'a' }] }), ['error field-required spec.taints.0.effect']],
      ['a key of labels', member({ taints: [{ ...taint, key: 'a b' }] }), ['error invalid-label spec.taints.0.key']],
      [
        'a value of labels',
        member({ taints: [{ ...taint, value: 'a b' }] }),
        ['error invalid-label spec.taints.0.value'],
      ],
      ['each once', member({ taints: [taint, taint] }), ['error duplicate spec.taints.1']],
      [
        'at most 100',
        member({ taints: times(101, (n) => ({ ...taint, key: `k${n}` })) }),
        ['error out-of-range spec.taints'],
      ],
    ])('%s', (_, document, expected) => {
      expect(errors(document)).toEqual(expected);
    });

    it.each(['x'.repeat(64), '-1', 'a b'])(
      'labels are taken as they are, also those that a hub refuses: %s',
      (value) => {
        const { issues, object } = validateFleetObject({
          ...member({}),
          metadata: { name: 'a', labels: { a: value } },
        });
        expect([issues, object?.metadata?.labels]).toEqual([[], { a: value }]);
      },
    );

    it('labels are strings, and the error has a fix', () => {
      const labelled = { ...member({}), metadata: { name: 'a', labels: { level: 1 } } };
      expect(validateFleetObject(labelled).issues).toEqual([
        {
          severity: 'error',
          code: 'wrong-type',
          path: ['metadata', 'labels', 'level'],
          message: 'level must be of type string',
          fix: 'write "1"',
          suggests: '1',
        },
      ]);
      const listed = { ...member({}), metadata: { name: 'a', labels: [{ env: 'dev' }] } };
      expect(validateFleetObject(listed).issues).toMatchObject([
        { message: 'labels must be of type map', fix: 'write a map' },
      ]);
    });
  });
});
