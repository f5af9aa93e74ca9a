import { expect, it } from 'vitest';
import { previewAssumptions } from '../../src/forecast/total-effect.ts';
import { effectText } from '../../src/report/effect/effect-text.ts';
import { deployment, PaperFleet } from '../support/paper-fleet.ts';
import { stagedRun } from '../support/staged-run.ts';
import { effectOf, type Files } from './effect-of.ts';

const gated = stagedRun('{type: Approval}');
const run = (name: string, annotations = ''): Files => ({
  'run.yaml': gated['run.yaml']!.replace('{name: web-1}', `{name: ${name}, annotations: {${annotations}}}`),
});
const careful =
  'gitfleet.dev/on-failure: rollback, gitfleet.dev/progress-deadline: 30m, gitfleet.dev/max-failures: "1"';

/** Waits at its gate. */
async function started(): Promise<PaperFleet> {
  const paper = new PaperFleet({ ...gated, ...run('web-1') });
  await paper.settle();
  return paper;
}

it('a preview shows what a new run does if clusters fail, and nothing where it says nothing', async () => {
  const paper = await started();
  const next = (annotations: string) => ({
    ...paper.files,
    'resources/web.yaml': deployment('web', 'web', 'web:2'),
    ...run('web-2', annotations),
  });
  const { rollout } = effectText(await effectOf(paper, next(careful)));
  expect(rollout).toContain('update run web-2: on-failure: rollback, max-failures: 1, progress-deadline: 30m');
  expect((await effectOf(paper, next(''))).policies).toEqual([]);
});

it('a preview shows that a run in progress does something else if clusters fail', async () => {
  const paper = await started();
  const text = effectText(await effectOf(paper, { ...paper.files, ...run('web-1', careful) }));
  expect(text.title).toBe('no change on any cluster · changes what update run web-1 does if clusters fail');
  expect(text.isEmpty).toBe(false);
  expect(text.rollout).toContain(
    'update run web-1: on-failure: rollback, max-failures: 1, progress-deadline: 30m (before: on-failure: stop, max-failures: 0, no progress-deadline); clusters that it has reached by then do not return',
  );
});

it('a preview does not show annotations of a run that is over', async () => {
  const paper = new PaperFleet(stagedRun(''));
  await paper.settle();
  expect((await effectOf(paper, { ...paper.files, ...run('web-1', careful) })).policies).toEqual([]);
});

it('a preview supposes clusters to be ready before the deadlines of its runs', async () => {
  const paper = await started();
  const { fleet: usual } = await paper.input();
  paper.files = { ...paper.files, ...run('web-1', 'gitfleet.dev/progress-deadline: 41s') };
  const { fleet: hasty } = await paper.input();
  expect([previewAssumptions(usual), previewAssumptions(usual, hasty)].map(({ readyAfterMs }) => readyAfterMs)).toEqual(
    [90_000, 20_000],
  );
});
