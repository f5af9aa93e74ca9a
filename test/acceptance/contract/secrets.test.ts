import { afterEach, expect, it } from 'vitest';
import { type Document, type Files, folder, removeFolders } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';
import { at, members, namespace, placement, placementEntry, rolling, Story } from '../rollout/world.ts';

afterEach(removeFolders);

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const ours = 'sword"fish\nours';
const theirs = 'theirs-on-the-member';
const injected = 'injected-by-override';
const forms = (value: string): string[] => [value, JSON.stringify(value).slice(1, -1), base64(value)];

const secret = `
apiVersion: v1
kind: Secret
metadata:
  name: keys
  namespace: web
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{"data":{"password":"${base64(ours)}"}}'
data: {password: ${base64(ours)}}
stringData: {note: ${JSON.stringify(ours)}}
`;
const shop: Files = {
  ...members('a'),
  'web.yaml': placement('{placementType: PickAll}', rolling(1, 1)),
  'resources/web.yaml': `{apiVersion: v1, kind: Namespace, metadata: {name: web}}\n---${secret}`,
  'override.yaml': `
apiVersion: placement.kubernetes-fleet.io/v1
kind: ResourceOverride
metadata: {name: keys, namespace: web}
spec:
  resourceSelectors: [{group: "", version: v1, kind: Secret, name: keys}]
  policy:
    overrideRules:
    - clusterSelector: {clusterSelectorTerms: []}
      jsonPatchOverrides: [{op: add, path: /stringData/more, value: ${injected}}]
`,
};

/** What the repo itself holds stands in snapshots, of resources and of overrides, and nowhere else. */
const copies = /^(placements\/.*\/snapshots\/|overrides\/)/;
function leaks(plan: Document): string[] {
  const { record, ...rest } = plan;
  const texts = Object.entries({ ...record, 'the document': JSON.stringify(rest) });
  return texts.flatMap(([path, text]) => [
    ...[ours, injected].flatMap((value) => (copies.test(path) ? [] : found(path, String(text), value))),
    ...found(path, String(text), theirs),
  ]);
}
const found = (path: string, text: string, value: string): string[] =>
  forms(value).some((form) => text.includes(form)) ? [`${path} holds ${value}`] : [];

const object = { apiVersion: 'v1', kind: 'Secret', namespace: 'web', name: 'keys' };
const live = (data: object) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'keys',
    namespace: 'web',
    labels: { 'gitfleet.dev/placement': 'web' },
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ data }) },
  },
  data,
});
const changed = live({ password: base64(theirs) });

it.each<[string, Document]>([
  [
    'an API server that quotes what it refuses',
    { result: 'FailedToApply', message: forms(ours).concat(injected).join(' or ') },
  ],
  [
    'a drift',
    {
      result: 'FoundDrifts',
      details: [
        { path: '/data/password', valueInMember: base64(theirs), valueInHub: base64(ours) },
        { path: '/stringData', valueInMember: theirs, valueInHub: injected },
        {
          path: '/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration',
          valueInMember: JSON.stringify({ password: base64(theirs) }),
        },
        { path: '/', valueInHub: JSON.stringify({ data: { password: base64(ours) } }) },
      ],
    },
  ],
  [
    'a difference',
    { result: 'FoundDiff', details: [{ path: '/data', valueInMember: JSON.stringify({ p: base64(theirs) }) }] },
  ],
])('a Secret’s values are not reported: %s', async (_, result) => {
  const story = new Story(shop);
  story.seen = {};
  expect(leaks((await story.plan()).plan)).toEqual([]);
  const results = [{ object, ...result }];
  story.seen = { a: { placements: [placementEntry(0, { results })], objects: [namespace, changed] } };
  const step = await story.plan(10);
  expect(JSON.stringify(step.plan.placements[0].bindings[0].conditions)).toContain('Secret web/keys');
  expect(leaks(step.plan)).toEqual([]);
});

it('what a Secret holds on a member never goes to git, also when the record is rebuilt from the members', async () => {
  const story = new Story(shop);
  story.seen = { a: { placements: [placementEntry(3)], objects: [namespace, changed] } };
  const { plan } = await story.plan();
  expect(leaks(plan)).toEqual([]);
  expect(plan.placements[0].resourceSnapshotIndex).toBe(4);
});

it.each<[string, string]>([
  [
    'broken YAML',
    `apiVersion: v1\nkind: Secret\nmetadata: {name: keys, namespace: web}\ndata: {password: ${base64(ours)}`,
  ],
  [
    'a value of the wrong type',
    `apiVersion: v1\nkind: Secret\nmetadata: {name: keys, namespace: web}\ndata: {p: yes}\nstringData: [${JSON.stringify(theirs)}]\n`,
  ],
  [
    'a key given twice',
    `apiVersion: v1\nkind: Secret\nmetadata: {name: keys, namespace: web}\ndata:\n  a: ${theirs}\n  a: ${theirs}\n`,
  ],
  [
    'an envelope',
    `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ResourceEnvelope\nmetadata: {name: e, namespace: web}\ndata:\n  s.yaml: {apiVersion: v1, kind: Secret, metadata: {namespace: 7}, data: {a: ${theirs}}}\n`,
  ],
  [
    'an envelope of text',
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: e, namespace: web, annotations: {kubernetes-fleet.io/envelope-configmap: "true"}}\ndata:\n  s.yaml: "{\\"kind\\":\\"Secret\\", \\"data\\": {\\"a\\": ${theirs}, \\"a\\": 1}"\n`,
  ],
])('a finding about a Secret’s file quotes nothing: %s', async (_, text) => {
  const story = new Story({
    ...shop,
    'resources/bad.yaml': text,
    'resources/web.yaml': '{apiVersion: v1, kind: Namespace, metadata: {name: web}}',
  });
  story.seen = undefined;
  const repo = folder(story.files);
  for (const format of ['json', 'table', 'markdown']) {
    const { out, err, code } = await cli('plan', '--repo', repo, '--now', at(0), '-o', format);
    expect(code).toBe(2);
    const { record: _record, ...rest } = format === 'json' ? JSON.parse(out) : { record: {}, out };
    expect(found('output', JSON.stringify(rest) + err, theirs)).toEqual([]);
    expect(found('output', JSON.stringify(rest) + err, ours)).toEqual([]);
  }
  const output = await cli('validate', repo);
  expect(found('validate', output.out + output.err, theirs)).toEqual([]);
  expect(found('validate', output.out + output.err, ours)).toEqual([]);
});

it('diff shows which keys a Secret has, and not what they hold', async () => {
  const { out } = await cli('diff', '--repo', folder(shop), '--recorded', folder(), '--now', at(0));
  expect(out).toContain('note: (redacted)');
  expect(out).toContain('password: (redacted)');
  for (const value of [ours, injected]) expect(found('diff', out, value)).toEqual([]);
});
