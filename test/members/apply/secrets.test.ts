import { expect, it } from 'vitest';
import { assignment, openWorld } from '../../support/member-world.ts';

const path = '/api/v1/namespaces/default/secrets/a';
const secret = (fields: object) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'a', namespace: 'default' },
  ...fields,
});

it('a key removed from stringData is removed on the member', async () => {
  const world = await openWorld();
  world.member.assign([
    assignment('web', [secret({ data: { size: 'bA==' }, stringData: { color: 'red', old: 'x' } })]),
  ]);
  await world.pass(1);
  expect((await world.user('GET', path))['data']).toEqual({ color: 'cmVk', old: 'eA==', size: 'bA==' });
  world.member.assign([assignment('web', [secret({ data: { size: 'bA==' }, stringData: { color: 'red' } })])]);
  await world.pass(1);
  expect((await world.user('GET', path))['data']).toEqual({ color: 'cmVk', size: 'bA==' });
  expect(world.results()).toEqual([]);
});

it('a key of stringData with another owner is kept without force', async () => {
  const world = await openWorld();
  await world.user('POST', '/api/v1/namespaces/default/secrets', secret({ data: { color: 'Ymx1ZQ==' } }), 'somebody');
  const strategy = { type: 'ServerSideApply' } as const;
  world.member.assign([assignment('web', [secret({ stringData: { color: 'red' } })], { strategy })]);
  await world.pass(1);
  expect(world.results()).toMatchObject([
    { message: expect.stringContaining('409, field .data.color is owned by somebody') },
  ]);
  expect((await world.user('GET', path))['data']).toEqual({ color: 'Ymx1ZQ==' });
});

it('a stringData value that is not a string is refused by the member, with the field', async () => {
  const world = await openWorld();
  world.member.assign([assignment('web', [secret({ stringData: { color: 5 } })])]);
  await world.pass(1);
  expect(world.results()).toMatchObject([
    { result: 'ManifestApplyFailed', message: expect.stringContaining('stringData') },
  ]);
});

it('messages of the member about stringData are reported without its value, also as base64', async () => {
  const world = await openWorld(
    {},
    {
      intercept: ({ method }) =>
        method === 'PATCH'
          ? { status: 403, body: { kind: 'Status', message: 'cmVkw6k= or redé', reason: 'Forbidden', code: 403 } }
          : undefined,
    },
  );
  world.member.assign([assignment('web', [secret({ stringData: { color: 'redé' } })])]);
  await world.pass(1);
  const [outcome] = world.results();
  expect(outcome?.message).toBe('apply Secret default/a on eu-1: 403, (redacted) or (redacted)');
});
