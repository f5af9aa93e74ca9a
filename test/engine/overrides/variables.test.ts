import { expect, test } from 'vitest';
import { replaceVariables } from '../../../src/engine/overrides/variables.ts';

const cluster = {
  name: 'eu-1',
  labels: { region: 'west', 'example.com/tier': 'gold', again: '${MEMBER-CLUSTER-LABEL-KEY-region}', key: 'region' },
};

test.each([
  ['the name, everywhere', '"${MEMBER-CLUSTER-NAME}-${MEMBER-CLUSTER-NAME}"', '"eu-1-eu-1"'],
  ['a label', '{"a":"${MEMBER-CLUSTER-LABEL-KEY-region}"}', '{"a":"west"}'],
  ['a label key with a prefix', '"${MEMBER-CLUSTER-LABEL-KEY-example.com/tier}"', '"gold"'],
  ['several labels', '"${MEMBER-CLUSTER-LABEL-KEY-region}/${MEMBER-CLUSTER-LABEL-KEY-key}"', '"west/region"'],
  ['a label that brings in a variable', '"${MEMBER-CLUSTER-LABEL-KEY-again}"', '"west"'],
  ['other variables are left alone', '"${HOME} $(X)"', '"${HOME} $(X)"'],
])('%s', (_, text, filled) => {
  expect(replaceVariables(text, cluster)).toEqual({ ok: true, text: filled });
});

test.each([
  ['a label that the cluster lacks', '"${MEMBER-CLUSTER-LABEL-KEY-zone}"', 'cluster eu-1 has no label "zone"'],
  [
    'a name inherited by every object',
    '"${MEMBER-CLUSTER-LABEL-KEY-toString}"',
    'cluster eu-1 has no label "toString"',
  ],
  ['a missing brace', '"${MEMBER-CLUSTER-LABEL-KEY-zone"', '${MEMBER-CLUSTER-LABEL-KEY- has no closing "}"'],
])('%s is an error', (_, text, message) => {
  expect(replaceVariables(text, cluster)).toEqual({ ok: false, message });
});

test('a label that contains itself ends in an error, not in a loop', () => {
  const labels = { loop: 'x${MEMBER-CLUSTER-LABEL-KEY-loop}' };
  expect(replaceVariables('"${MEMBER-CLUSTER-LABEL-KEY-loop}"', { name: 'eu-1', labels })).toMatchObject({ ok: false });
});
