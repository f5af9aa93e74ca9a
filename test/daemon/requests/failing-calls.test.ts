import { afterEach, describe, expect, it } from 'vitest';
import type { DialectName, TestForge } from '../../forge/test-forge.ts';
import { deployment, placement } from '../../support/paper-fleet.ts';
import type { VirtualFleet } from '../../support/virtual-fleet.ts';
import { configMap, PreviewFleet } from '../previews/preview-fleet.ts';
import { branch, config, forgeFleet, run } from './forge-fleet.ts';

let fleet: VirtualFleet;
let forge: TestForge;
afterEach(() => fleet.close());

const dialects: readonly DialectName[] = ['github', 'gitlab', 'gitea'];
const answers = {
  forbidden: { status: 403, body: { message: 'no' } },
  broken: { status: 500, body: '' },
  'a page for people': { status: 200, body: '<html>Sign in</html>' },
};
const table = <Call extends string>(calls: readonly Call[]) =>
  dialects.flatMap((dialect) =>
    calls.flatMap((call) =>
      Object.keys(answers).map((answer) => [dialect, call, answer as keyof typeof answers] as const),
    ),
  );

const isReported = async () =>
  (await fleet.repo.files('fleet-status'))['summary.yaml']?.includes('code: forge') === true;

/** `METHOD /path` of what fails while everything else succeeds: that of the first pull request. */
const paths = {
  open: /^POST .*\/(pulls|merge_requests)$/,
  labels: /^(POST .*\/issues\/1\/labels|PUT .*\/merge_requests\/1)$/,
  edit: /^(PATCH|PUT) .*\/(pulls|merge_requests)\/1$/,
  // Its text as well.
  close: /^(PATCH|PUT) .*\/(pulls|merge_requests)\/1$/,
  reviews: /^GET .*\/1\/(reviews|approvals)$/,
  comment: /^POST .*\/1\/(comments|notes)$/,
  status: /^POST .*\/statuses\/\w+$/,
};

function fail(call: keyof typeof paths, answer: keyof typeof answers): void {
  forge.fault = ({ method, path }) => (paths[call].test(`${method} ${path}`) ? answers[answer] : undefined);
}

/** Requests of ten minutes in which these calls fail. */
async function failing(
  call: keyof typeof paths,
  answer: keyof typeof answers,
): Promise<{ calls: number; all: number }> {
  fail(call, answer);
  const from = forge.requests.length;
  await fleet.run(200);
  expect(await isReported()).toBe(true);
  await fleet.run(400);
  expect(await isReported()).toBe(true);
  const asked = forge.requests.slice(from);
  return { calls: asked.filter((request) => paths[call].test(request)).length, all: asked.length };
}

const ended = async () => {
  forge.fault = () => undefined;
  await fleet.until('the problem is gone', async () => !(await isReported()), 700);
};

describe.each(table(['open', 'edit', 'close', 'labels', 'reviews']))('at %s, %s: %s', (dialect, call, answer) => {
  // Labels are tried once, and a token that may not read reviews gets none.
  it.skipIf(answer === 'forbidden' && (call === 'labels' || call === 'reviews'))(
    'is tried less and less often, reported, and holds up no other request',
    async () => {
      ({ fleet, forge } = await forgeFleet(dialect));
      fleet.commit({ 'fleet.yaml': config(dialect, 'labels: [approval]') });
      fleet.start({ forge });
      if (call === 'open' || call === 'labels') fail(call, answer);
      await fleet.until('its branch is there', () => fleet.repo.tip(branch) !== undefined, 900);
      await fleet.run(130);
      if (call === 'edit') forge.pull(1).title = 'By hand';
      if (call === 'close') fleet.commit({ 'runs/web-1.yaml': undefined });
      else
        fleet.commit({
          'resources/api.yaml': deployment('api', 'api', 'api:1'),
          'api.yaml': placement('api', '{placementType: PickAll}', '{type: External}'),
          'runs/api-1.yaml': run('api-1').replace('placementName: web', 'placementName: api'),
        });
      const { calls, all } = await failing(call, answer);
      expect(calls).toBeLessThan(20);
      expect(all).toBeLessThan(120);
      if (call !== 'open' && call !== 'close') expect(forge.pulls.map(({ state }) => state)).toEqual(['open', 'open']);
      await ended();
    },
  );
});

describe.each(table(['comment', 'status']))('at %s, %s of a preview: %s', (dialect, call, answer) => {
  it('is tried less and less often, reported, and holds up no other preview', async () => {
    const world = await PreviewFleet.open(dialect);
    ({ fleet, forge } = world);
    fleet.start({ forge });
    await world.settled();
    world.propose('one', { 'resources/extra.yaml': undefined });
    const two = world.propose('two', { 'resources/new.yaml': configMap('new', '1') });
    const { calls, all } = await failing(call, answer);
    expect(two.comments).toHaveLength(1);
    expect(calls).toBeLessThan(40);
    expect(all).toBeLessThan(120);
    await ended();
    expect(forge.pull(1).comments).toHaveLength(1);
  });
});
