import { afterEach, describe, expect, it } from 'vitest';
import { withoutLargeDocuments } from '../../src/daemon/record/member-documents.ts';
import { memberLimits } from '../../src/members/api-server/member-limits.ts';
import { weightOf } from '../../src/members/api-server/weight-of.ts';
import { recordLimits } from '../../src/repo/too-large.ts';
import { PaperFleet } from '../support/paper-fleet.ts';
import { renderRecord } from '../support/render-record.ts';
import { shop } from '../support/shop.ts';
import { images, names, smallFleet, web } from '../support/small-fleet.ts';
import { VirtualFleet } from '../support/virtual-fleet.ts';
import { answer, page } from './hostile-answers.ts';

let fleet: VirtualFleet | undefined;
afterEach(() => fleet?.close());

const nodes = (count: number, from: number, type: (at: number) => string): object[] =>
  Array.from({ length: count }, (_, at) => ({
    metadata: { name: `n-${from + at}`, labels: { 'node.kubernetes.io/instance-type': type(from + at) } },
    spec: { providerID: 'azure:///n' },
  }));

/** `clusters/b.yaml` after b has reported these pages of nodes and this version, and the others have got a change. */
async function reported(pages: (at: number) => object[], { of, version = {} }: { of: number; version?: object }) {
  fleet = await VirtualFleet.open(smallFleet(), ...names);
  fleet.start({
    through: (transport, member) => async (request) => {
      if (member !== 'b') return transport(request);
      const { pathname, searchParams } = new URL(request.path, 'http://b');
      if (pathname === '/version') return answer({ gitVersion: 'v1.33.0', ...version });
      if (pathname !== '/api/v1/nodes' || searchParams.has('watch')) return transport(request);
      const at = Number(searchParams.get('continue') ?? 0);
      return page(pages(at), at + 1 < of ? `${at + 1}` : undefined);
    },
  });
  const runs = (image: string) => (): boolean => images(fleet!)[0] === image && images(fleet!)[2] === image;
  await fleet.until('a and c run web:1', runs('web:1'), 300);
  fleet.commit(web('web:2'));
  await fleet.until('a and c run web:2', runs('web:2'), 300);
  await fleet.run(60);
  return (await fleet.repo.files('fleet-status'))['clusters/b.yaml']!;
}

describe('a member whose nodes would fill its file stops no other:', () => {
  it('labels that no API server accepts are not kept', async () => {
    const file = await reported((at) => nodes(500, at * 500, (it) => `${it}-${'x'.repeat(15_000)}`), { of: 11 });
    expect(file.length).toBeLessThan(10_000);
    expect(file).toContain('n-0 has an unexpected shape');
  });

  it('of instance types the most frequent ones are named', async () => {
    const types = memberLimits.instanceTypes + 100;
    const file = await reported((at) => nodes(500, at * 500, (it) => (it % 2 ? 'usual' : `t-${it % (2 * types)}`)), {
      of: 4,
    });
    expect(file.match(/vm-sizes/g)).toHaveLength(memberLimits.instanceTypes);
    expect(file).toContain('kubernetes.azure.com/vm-sizes/usual/count');
    expect(file).toContain('nodes have more than 500 instance types: 101 of them are left out');
  });

  it('a version of a megabyte is not known', async () => {
    const file = await reported(() => [], { of: 1, version: { gitVersion: 'v'.repeat(2 ** 20) } });
    expect(file.length).toBeLessThan(10_000);
    expect(file).not.toContain('k8s-version');
  });
});

describe('files of a member that would be too large', () => {
  const { bytes } = recordLimits.ofMember;
  afterEach(() => {
    recordLimits.ofMember.bytes = bytes;
  });

  it('are reported, while the others get their changes', async () => {
    recordLimits.ofMember.bytes = 4_000;
    const file = await reported(() => nodes(200, 0, (at) => `type-${at}`), { of: 1 });
    expect(file ?? '').not.toContain('type-0');
    expect((await fleet!.repo.files('fleet-status'))['README.md']).toContain('because of what member b reports');
  });

  const large = { kind: 'object', value: { status: 'x'.repeat(bytes) } } as const;

  it.each(['clusters/eu-1.yaml', 'nodes/eu-1.yaml', 'placements/shop/mirrored/eu-1.yaml'])(
    'stay as they were, and the others are published: %s',
    async (path) => {
      const plan = await new PaperFleet(shop).planOn();
      const target = { clusterName: 'eu-1', nodes: {} } as unknown as (typeof plan.targets)[number];
      const grown = { ...plan, targets: [...plan.targets, target], record: new Map([...plan.record, [path, large]]) };
      const bounded = withoutLargeDocuments(grown, new Map([[path, 'before\n']]));
      const expected = new Map([...renderRecord(plan.record), [path, 'before\n']]);
      expect(renderRecord(bounded.plan.record)).toEqual(expected);
      expect(bounded.plan.targets).toEqual(path.startsWith('nodes/') ? plan.targets : grown.targets);
      expect(bounded.problems).toEqual([
        expect.objectContaining({
          severity: 'error',
          code: 'file-too-large',
          file: `(status branch) ${path}`,
          message: expect.stringContaining('because of what member eu-1 reports: the file has'),
        }),
      ]);
      expect(withoutLargeDocuments(grown, new Map()).plan.record.has(path)).toBe(false);
    },
  );

  it('are the largest ones of the member if only all of them together are', async () => {
    const plan = await new PaperFleet(shop).planOn();
    const part = (size: number) => ({ kind: 'object', value: { status: 'x'.repeat(size) } }) as const;
    const record = new Map([
      ['clusters/a.yaml', part(1000)],
      ['nodes/a.yaml', part(bytes * 0.6)],
      ['placements/web/mirrored/a.yaml', part(bytes * 0.5)],
      ['nodes/b.yaml', part(bytes * 0.6)],
    ]);
    const bounded = withoutLargeDocuments({ ...plan, record }, new Map());
    expect([...record.keys()].filter((path) => !bounded.plan.record.has(path))).toEqual(['nodes/a.yaml']);
  });
});

it('texts and long keys of what is kept count in bytes', () => {
  expect(weightOf({ a: '€'.repeat(1000) }, 5)).toBeGreaterThan(3000);
  expect(weightOf({ ['k'.repeat(1000)]: '' }, 5)).toBeGreaterThan(1000);
});
