import { describe, expect, it } from 'vitest';
import { effectText } from '../../src/report/effect/effect-text.ts';
import { PaperFleet, placement } from '../support/paper-fleet.ts';
import { configMap, effectOf, type Files, web } from './effect-of.ts';

describe('the total effect of a change whose objects lack their Namespace', () => {
  const inShop: Files = {
    ...web(false),
    'shop.yaml': `apiVersion: placement.kubernetes-fleet.io/v1
kind: ResourcePlacement
metadata: {name: shop, namespace: shop}
spec:
  resourceSelectors: [{group: "", version: v1, kind: ConfigMap, name: shop}]
  policy: {placementType: PickAll}
`,
    'resources/shop.yaml': configMap('shop', '1').replace('namespace: web', 'namespace: shop'),
  };
  const shopNamespace = { 'resources/ns.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n' };
  const bringing = (policy: string, strategy?: string): Files => ({
    ...shopNamespace,
    'ns.yaml': placement('ns', policy, strategy, 'shop').replace(
      'name: shop}]',
      'name: shop, selectionScope: NamespaceOnly}]',
    ),
  });
  const everywhere = bringing('{placementType: PickAll}');
  const need = 'ConfigMap shop/shop needs the Namespace shop, which no placement brings there';
  it.each<[string, Files, string, string]>([
    [
      'on any cluster',
      shopNamespace,
      'no object changes · 4 of 4 clusters · cannot be applied on ams, fra, lon, nyc',
      `shop/shop: ams, fra, lon, nyc get nothing: ${need}`,
    ],
    [
      'everywhere',
      bringing('{placementType: PickFixed, clusterNames: [ams]}'),
      'adds 2 objects · 4 of 4 clusters · cannot be applied on fra, lon, nyc',
      `shop/shop: fra, lon, nyc get nothing: ${need}`,
    ],
    [
      'without an update run',
      bringing('{placementType: PickAll}', '{type: External}'),
      'no object changes · 4 of 4 clusters · cannot be applied on ams, fra, lon, nyc · needs a staged update run: ns',
      `shop/shop: ams, fra, lon, nyc get nothing: ${need}`,
    ],
  ])(
    'adds no object where no placement brings its Namespace %s, and forecasts that it is not done',
    async (_, more, title, line) => {
      const paper = new PaperFleet(web(false));
      await paper.settle();
      const text = effectText(await effectOf(paper, { ...inShop, ...more }));
      expect(text.title).toBe(title);
      expect(text.rollout).toContain(line);
      expect(text.forecast).toMatch(/^Not done until something else changes: shop\/shop/);
    },
  );
  it('adds objects to a Namespace that comes with the change, was there, or that others may have made', async () => {
    const paper = new PaperFleet(web(false));
    await paper.settle();
    const unsure = `shop/shop: ams, fra, lon, nyc get all of it only if the namespace is there by other means: ${need}`;
    for (const [more, added, isUnsure] of [
      [everywhere, 8, false],
      [{}, 4, true],
    ] as const) {
      const text = effectText(await effectOf(paper, { ...inShop, ...more }));
      expect([text.title, text.rollout.includes(unsure)]).toEqual([
        `adds ${added} objects · 4 of 4 clusters`,
        isUnsure,
      ]);
      expect(text.forecast).toMatch(/^Everything is done at/);
    }
    // What was applied there shows that the clusters have it.
    paper.files = inShop;
    await paper.settle();
    const other = inShop['shop.yaml']!.replaceAll('name: shop', 'name: other').replace(
      'namespace: other',
      'namespace: shop',
    );
    const next = {
      ...inShop,
      'other.yaml': other,
      'resources/other.yaml': inShop['resources/shop.yaml']!.replace('name: shop', 'name: other'),
    };
    const { failing } = await effectOf(paper, next);
    expect(failing).toEqual([]);
  });
  it('moves nothing to a cluster without its Namespace, which keeps the old one', async () => {
    const fixed = (policy: string) => inShop['shop.yaml']!.replace('{placementType: PickAll}', policy);
    const on = (cluster: string) => fixed(`{placementType: PickFixed, clusterNames: [${cluster}]}`);
    const files = { ...inShop, 'shop.yaml': on('ams'), ...bringing('{placementType: PickFixed, clusterNames: [ams]}') };
    const paper = new PaperFleet(files);
    await paper.settle();
    const text = effectText(await effectOf(paper, { ...files, 'shop.yaml': on('fra') }));
    expect(text.title).toMatch(/ · cannot be applied on fra$/);
    expect(text.title).not.toContain('adds');
  });

  describe('once it is rolled out', () => {
    const external = inShop['shop.yaml']!.replace('PickAll}', 'PickAll}\n  strategy: {type: External}');
    const frozen: Files = {
      'fleet.yaml':
        'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nmetadata: {name: fleet}\nspec: {freeze: [{name: always, schedule: "* * * * *", duration: 24h}]}\n',
    };
    it.each<[string, Files, boolean]>([
      ['by an update run', { 'shop.yaml': external, ...shopNamespace }, true],
      ['when a freeze ends', { ...frozen, ...shopNamespace }, false],
    ])('is not added %s', async (_, more, needsRun) => {
      const paper = new PaperFleet(web(false));
      await paper.settle();
      const text = effectText(await effectOf(paper, { ...inShop, ...more }));
      expect(text.changes).toEqual([]);
      expect(text.rollout).toContain(
        `shop/shop: ams, fra, lon, nyc get nothing${needsRun ? ', also by an update run' : ''}: ${need}`,
      );
    });
    it.each<[string, Files]>([
      ['that needs a run, too', bringing('{placementType: PickAll}', '{type: External}')],
      ['that rolls out', everywhere],
    ])('is added where the Namespace comes by a placement %s', async (_, more) => {
      const paper = new PaperFleet(web(false));
      await paper.settle();
      const { pending, failing } = await effectOf(paper, { ...inShop, 'shop.yaml': external, ...more });
      expect(pending.map(({ action, object }) => `${action} ${object.kind}`)).toContain('add ConfigMap');
      expect(failing).toEqual([]);
    });
    it.each<[string, Files, Files]>([
      [
        'only compares',
        {},
        bringing('{placementType: PickAll}', '{type: RollingUpdate, applyStrategy: {type: ReportDiff}}'),
      ],
      [
        'leaves it',
        bringing('{placementType: PickFixed, clusterNames: [ams, fra, lon, nyc]}', '{type: External}'),
        bringing('{placementType: PickFixed, clusterNames: [fra]}', '{type: External}'),
      ],
    ])('is not added where the placement of the Namespace %s', async (_, before, after) => {
      const paper = new PaperFleet({ ...web(false), ...before });
      await paper.settle();
      const { failing } = await effectOf(paper, { ...inShop, 'shop.yaml': external, ...after });
      expect(failing.map(({ why }) => why)).toContain(need);
    });
    it('is added with a note where others may have made the Namespace', async () => {
      const paper = new PaperFleet(web(false));
      await paper.settle();
      const text = effectText(await effectOf(paper, { ...inShop, 'shop.yaml': external }));
      expect(text.changes.map(({ title }) => title)).toEqual([
        'needs a staged update run: shop/shop: ConfigMap shop/shop added, same on 4 clusters (ams, fra, lon, nyc)',
      ]);
      expect(text.rollout).toContain(
        `shop/shop: ams, fra, lon, nyc get all of it only if the namespace is there by other means: ${need}`,
      );
    });
  });
});
