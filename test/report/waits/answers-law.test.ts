import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterUpdatingStatus } from '../../../src/api/staged.ts';
import type { Plan } from '../../../src/engine/plan-document.ts';
import { hasStarted, rollbackStages } from '../../../src/engine/staged/step.ts';
import { removedInRecord } from '../../../src/forecast/run-removals.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import { askedGate } from '../../../src/report/approval/approval-page.ts';
import { approvalStarts, openedByTask } from '../../../src/report/waits/approval-starts.ts';
import { rejectionText, returningIn } from '../../../src/report/waits/rollback-texts.ts';
import { AskedRun, gate, rollsBack, runOf, stageOf, strategy } from '../../support/asked-run.ts';
import { drawn } from '../../support/law-runs.ts';
import { deployment, placement } from '../../support/paper-fleet.ts';

type Files = Record<string, string>;

const policies = [
  '{placementType: PickAll}',
  '{placementType: PickFixed, clusterNames: [a, b, c]}',
  '{placementType: PickFixed, clusterNames: [a, b]}',
];
const run = fc.record({
  kind: fc.constant('run'),
  name: fc.integer({ min: 1, max: 9 }),
  before: fc.boolean(),
  after: fc.boolean(),
  isReturning: fc.boolean(),
});
const edit = fc.oneof(
  fc.record({ kind: fc.constant('image'), version: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('policy'), to: fc.constantFrom(...policies.slice(1)) }),
  run,
  fc.record({ kind: fc.constantFrom('stop', 'withdraw'), name: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ kind: fc.constant('leave'), cluster: fc.constantFrom('a', 'b', 'c') }),
);
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

/** The files that an edit changes; empty text = removed. `isFixed`: the type of a policy never changes. */
function changed(files: Files, of: Edit, isFixed: boolean): Files {
  if ('version' in of) return { 'resources/web.yaml': deployment('web', 'web', `web:${of.version}`) };
  if ('to' in of) return isFixed ? { 'web.yaml': placement('web', of.to, '{type: External}') } : {};
  if ('cluster' in of) return { [`clusters/${of.cluster}.yaml`]: '' };
  const path = `run-${of.name}.yaml`;
  if ('before' in of) {
    const gates = [of.before ? `, before${gate}` : '', of.after ? `, after${gate}` : ''].join('');
    const annotations = of.isReturning ? rollsBack : '';
    return {
      [`steps-${of.name}.yaml`]: strategy(`s${of.name}`, stageOf('first', `, after${gate}`), stageOf('rest', gates)),
      [path]: runOf(`web-${of.name}`, { annotations, steps: `s${of.name}` }),
    };
  }
  if (files[path] === undefined) return {};
  return { [path]: of.kind === 'withdraw' ? '' : files[path].replace(/(, state: Stop)?}\n$/, ', state: Stop}\n') };
}

interface Story {
  readonly isFixed: boolean;
  readonly parts: readonly { readonly edits: readonly Edit[]; readonly plans: number; readonly approves: boolean }[];
}

async function told({ isFixed, parts }: Story): Promise<AskedRun> {
  const fleet = await AskedRun.open(isFixed ? { 'web.yaml': placement('web', policies[1]!, '{type: External}') } : {});
  const { paper } = fleet;
  for (const { edits, plans, approves } of parts) {
    for (const of of edits)
      for (const [path, text] of Object.entries(changed(paper.files, of, isFixed)))
        if (text === '') delete paper.files[path];
        else paper.files[path] = text;
    await fleet.pass(plans);
    const open = approves && paper.last!.plan.approvals.find(({ answer, file }) => answer === undefined && file);
    if (open) await fleet.answer('True', open.planned.name);
  }
  await paper.planOn();
  return fleet;
}

const part = (most: number) =>
  fc.record({
    edits: fc.array(edit, { maxLength: most }),
    plans: fc.integer({ min: 0, max: 7 }),
    approves: fc.boolean(),
  });
/** A run that rolls out a new version comes first. */
const story: fc.Arbitrary<Story> = fc
  .record({ isFixed: fc.boolean(), first: run, parts: fc.tuple(part(2), part(2)) })
  .map(({ isFixed, first, parts: [begin, end] }) => {
    const edits: readonly Edit[] = [{ kind: 'image', version: 2 }, first, ...begin.edits];
    return { isFixed, parts: [{ ...begin, edits, plans: begin.plans + 2 }, end] };
  });

interface Stage {
  readonly clusters: readonly ClusterUpdatingStatus[];
}

const namesIn = (stages: readonly Stage[], is: (of: ClusterUpdatingStatus) => boolean) =>
  new Set(stages.flatMap(({ clusters }) => clusters.filter(is).map(({ clusterName }) => clusterName as string)));

describe('what a page says of answers', () => {
  it('is what they bring: clusters that start after an approval, and return after a rejection', async () => {
    const seen = { starts: 0, returns: 0 };
    await fc.assert(
      fc.asyncProperty(story, async (of) => {
        const asked = await told(of);
        const { plan } = asked.paper.last!;
        const open = plan.approvals.find(({ answer, file }) => answer === undefined && file !== undefined);
        if (open === undefined || plan.guard.length > 0) return;
        const { record } = readRecord(asked.paper.record);
        const { run: asking, task } = askedGate(open, record)!;
        const isRemovedFrom = removedInRecord(asking, record);
        const statusIn = ({ runs }: Plan) => runs.find(({ name }) => name === asking.metadata.name)!.status;
        const isHeld = (texts: readonly string[]): boolean => texts.some((text) => text.includes('not before'));

        const before = namesIn(statusIn(plan).stagesStatus ?? [], hasStarted);
        const { stages } = openedByTask(asking, task, isRemovedFrom);
        const starts = isHeld(approvalStarts(asking, task, { isRemovedFrom, runs: record.runs.values() }))
          ? new Set()
          : namesIn(stages, ({ clusterName }) => !before.has(clusterName));
        const after = statusIn(await (await told(of)).answer('True', open.planned.name));
        expect(namesIn(after.stagesStatus ?? [], hasStarted).difference(before)).toEqual(starts);

        const returns = isHeld([rejectionText(asking, { record })])
          ? new Set()
          : namesIn(
              returningIn(asking, record).stages,
              () => asking.metadata.annotations?.['gitfleet.dev/on-failure'] !== undefined,
            );
        if (starts.size > 0) seen.starts++;
        if (returns.size > 0) seen.returns++;
        const ended = statusIn(await (await told(of)).answer('False', open.planned.name));
        const isBack = ({ conditions = [] }: ClusterUpdatingStatus): boolean =>
          conditions.some(({ type, status }) => type === 'Succeeded' && status === 'True');
        expect(namesIn(rollbackStages(ended), isBack)).toEqual(returns);
      }),
      drawn(15, 20261129),
    );
    expect(Math.min(seen.starts, seen.returns)).toBeGreaterThan(2);
  });
});
