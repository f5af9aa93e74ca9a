import { afterAll, describe, expect, it } from 'vitest';
import { checkMember } from '../../../src/cli/onboard/check-member.ts';
import { readPlanInput } from '../../../src/cli/plan/input.ts';
import { planFleet } from '../../../src/engine/plan.ts';
import type { TransportRequest } from '../../../src/members/api-server/transport.ts';
import { folder, removeFolders } from '../../support/folders.ts';

afterAll(removeFolders);

interface Answers {
  /** Rules that the member lists. */
  readonly rules?: object;
  /** What it says when it is asked for one right. */
  readonly allows?: (attributes: Record<string, unknown>) => boolean;
  readonly status?: number;
  readonly aheadMs?: number;
  readonly hangs?: boolean;
}

const everything = {
  nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['*'] }],
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
};

/** The lines of a check, and how many requests each kind of review took. */
async function checked({
  rules = everything,
  allows = () => false,
  status = 200,
  aheadMs = 0,
  hangs = false,
}: Answers) {
  const input = await readPlanInput({
    repo: folder({
      'eu-1.yaml': 'apiVersion: cluster.kubernetes-fleet.io/v1\nkind: MemberCluster\nmetadata: {name: eu-1}\n',
    }),
  });
  const reviews: string[] = [];
  const bodyOf = ({ method, path, body }: TransportRequest): object => {
    if (method === 'GET') return { kind: 'Any', gitVersion: 'v1.35.0', groups: [] };
    const kind = path.split('/').at(-1)!;
    reviews.push(kind);
    if (kind === 'selfsubjectrulesreviews') return { status: { incomplete: true, ...rules } };
    const { spec } = JSON.parse(body!);
    return { status: { allowed: allows(spec.resourceAttributes ?? spec.nonResourceAttributes) } };
  };
  const { checks } = await checkMember(input.fleet.members[0]!, {
    connections: {
      names: ['eu-1'],
      endpoint: async () => undefined,
      open: async () => async (request) =>
        hangs
          ? new Promise(() => {})
          : {
              status: request.method === 'POST' && status === 200 ? 201 : status,
              headers: { date: new Date(Date.now() + aheadMs).toUTCString() },
              body: (async function* () {
                yield Buffer.from(JSON.stringify(status === 200 ? bodyOf(request) : { kind: 'Status', message: 'no' }));
              })(),
            },
    },
    input,
    planned: planFleet(input),
    timeoutMs: hangs ? 20 : 5_000,
  });
  return {
    lines: checks.map(({ state, check, message }) => `${state} ${check}: ${message}`),
    fixes: checks.flatMap(({ fix }) => fix ?? []),
    reviews,
  };
}

describe('rights of a member', () => {
  it('are checked by one request where the member lists them', async () => {
    const { lines, reviews } = await checked({});
    expect(lines).toEqual([
      'ok member: responds, v1.35.0',
      'ok rights: all 8 that are needed for what is placed there',
      "ok clock: within 5 s of this machine's",
    ]);
    expect(reviews).toEqual(['selfsubjectrulesreviews']);
  });

  it('that are not listed are asked for one by one, since an authorizer need not list them', async () => {
    const { lines, reviews } = await checked({ rules: {}, allows: () => true });
    expect(lines[1]).toMatch(/^ok rights: all 8/);
    expect(reviews).toHaveLength(1 + 8);
  });

  it.each<[string, Answers, string]>([
    [
      'a rule of another group grants nothing',
      { rules: { ...everything, resourceRules: [{ verbs: ['*'], apiGroups: ['apps'], resources: ['*'] }] } },
      '3 of 8 missing: list pods, list nodes, get namespaces kube-system',
    ],
    [
      'a rule for one object grants it and no other one',
      {
        rules: {
          ...everything,
          resourceRules: [
            { verbs: ['list'], apiGroups: [''], resources: ['pods', 'nodes'], resourceNames: ['a'] },
            { verbs: ['get'], apiGroups: [''], resources: ['namespaces'], resourceNames: ['kube-system'] },
          ],
        },
      },
      '2 of 8 missing: list pods, list nodes',
    ],
    [
      'paths are granted by prefix',
      { rules: { ...everything, nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/api*', '/version'] }] } },
      '1 of 8 missing: get /readyz',
    ],
    [
      'more than a few are counted',
      { rules: {} },
      '8 of 8 missing: get /readyz, get /version, get /api/*, get /apis and 4 more',
    ],
  ])('%s', async (_, answers, reported) => {
    expect((await checked(answers)).lines[1]).toBe(`failed rights: ${reported}`);
  });
});

it.each([
  [60_000, "warning clock: 60 s ahead of this machine's"],
  [-600_000, "warning clock: 600 s behind this machine's"],
])('a clock that differs by %i ms is a warning', async (aheadMs, reported) => {
  const [, , clock] = (await checked({ aheadMs })).lines;
  // The header is in whole seconds.
  expect(clock!.replace(/\d+/, (seconds) => String(Math.round(Number(seconds) / 10) * 10))).toBe(reported);
});

it('a token that is refused is a failure, not a member that does not respond', async () => {
  const { lines, fixes } = await checked({ status: 401 });
  expect(lines).toEqual([expect.stringMatching(/^failed member: .*401/)]);
  expect(fixes).toEqual(['gitfleet join CONTEXT --name eu-1 writes new credentials']);
});

it('a member that hangs is reported with the flag that waits longer', async () => {
  const { lines, fixes } = await checked({ hangs: true });
  expect(lines).toEqual(['unreachable member: read the version on eu-1: no response in time']);
  expect(fixes).toEqual(['a longer --timeout waits longer']);
});
