import { expect, it } from 'vitest';
import type { TransportRequest } from '../../src/members/api-server/transport.ts';
import type { App, Desired } from './desired.ts';
import { writtenWhereCompared } from './hands-off.ts';
import { Wishes } from './wishes.ts';

const wishes = new Wishes();
for (const apply of ['reportDiff', 'always'] as const)
  wishes.note(apply, {
    apps: new Map([['app0', { name: 'app0', apply } as App]]),
    broken: new Set(),
    clusters: new Map(),
  } as Partial<Desired> as Desired);

const patch = { method: 'PATCH', path: '/apis/apps/v1/namespaces/app0/deployments/web?fieldManager=gitfleet' };
const compared = { ended: 'reportDiff', published: 'reportDiff' };

it.each<
  [string, Partial<TransportRequest>, { readonly ended: string; readonly published: string }, string | undefined]
>([
  ['a write where an app is only to be compared', {}, compared, 'app0'],
  [
    'one by a pass that is under way and was planned for it to be applied',
    {},
    { ...compared, published: 'always' },
    undefined,
  ],
  ['one by a pass that is over and was planned for it to be applied', {}, { ...compared, ended: 'always' }, undefined],
  ['a look at what a write would do', { path: `${patch.path}&dryRun=All` }, compared, undefined],
  ['a look', { method: 'GET' }, compared, undefined],
  ['a write to what is in no namespace', { path: '/api/v1/nodes/n' }, compared, undefined],
])('%s is reported as one: %#', (_, request, told, app) => {
  const whole = { ...patch, ...request } as TransportRequest;
  expect(writtenWhereCompared(whole, { ...told, wishes })).toBe(app);
});
