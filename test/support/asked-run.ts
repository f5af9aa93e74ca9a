import { stageFacts } from '../../src/daemon/requests/stage-facts.ts';
import type { Plan } from '../../src/engine/plan-document.ts';
import { readRecord } from '../../src/repo/record/read.ts';
import { type ApprovalPage, askedGate, type StageFacts, stagePage } from '../../src/report/approval/approval-page.ts';
import { deployment, member, PaperFleet, placement } from './paper-fleet.ts';

type Files = Record<string, string>;

const staged = 'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStaged';
export const gate = 'StageTasks: [{type: Approval}]';
export const rollsBack = 'gitfleet.dev/on-failure: rollback';

export const strategy = (name: string, ...stages: readonly string[]): string =>
  `${staged}UpdateStrategy\nmetadata: {name: ${name}}\nspec: {stages: [${stages.map((stage) => `{${stage}}`)}]}\n`;

/** `name: first, labelSelector: …` */
export const stageOf = (name: string, more = ''): string =>
  `name: ${name}, labelSelector: {matchLabels: {stage: ${name}}}, maxConcurrency: 5${more}`;

export const runOf = (
  name: string,
  { annotations = '', spec = '', steps = 'steps' }: { annotations?: string; spec?: string; steps?: string } = {},
): string =>
  `${staged}UpdateRun\nmetadata: {name: ${name}, annotations: {${annotations}}}\nspec: {placementName: web, stagedRolloutStrategyName: ${steps}${spec}}\n`;

/** Cluster a of stage `first`, b and c of stage `rest`; run `web-0` rolls `web:1` out everywhere. */
export const files = (): Files => ({
  'clusters/a.yaml': member('a', { stage: 'first' }),
  'clusters/b.yaml': member('b', { stage: 'rest' }),
  'clusters/c.yaml': member('c', { stage: 'rest' }),
  'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
  'all.yaml': strategy('all', 'name: all, labelSelector: {}, maxConcurrency: 10'),
  'run0.yaml': runOf('web-0', { steps: 'all' }),
  'resources/web.yaml': deployment('web', 'web', 'web:1'),
});

const history = { commitsBetween: async () => [], changingMoreThan: async () => [] };

/** A fleet on paper, what the page of an approval in it says, and what its answers bring. */
export class AskedRun {
  readonly paper: PaperFleet;

  private constructor(paper: PaperFleet) {
    this.paper = paper;
  }

  static async open(more: Files = {}): Promise<AskedRun> {
    const asked = new AskedRun(new PaperFleet({ ...files(), ...more }));
    await asked.pass();
    return asked;
  }

  /** Once `web-1` brings `web:2` to cluster a, and the gate before stage `rest` asks. */
  static async atGate(more: Files = {}): Promise<AskedRun> {
    const asked = await AskedRun.open();
    await asked.commit({
      'steps.yaml': strategy('steps', stageOf('first'), stageOf('rest', `, before${gate}`)),
      'run1.yaml': runOf('web-1', { annotations: rollsBack }),
      'resources/web.yaml': deployment('web', 'web', 'web:2'),
      ...more,
    });
    return asked;
  }

  async commit(more: Files): Promise<Plan> {
    Object.assign(this.paper.files, more);
    for (const [path, text] of Object.entries(more)) if (text === '') delete this.paper.files[path];
    return this.pass();
  }

  /** Until nothing happens any more, or a plan is refused. */
  async pass(steps = 8): Promise<Plan> {
    let plan = await this.paper.planOn();
    for (let step = 0; step < steps && plan.guard.length === 0; step++) {
      this.paper.deliver();
      this.paper.pass(60);
      plan = await this.paper.planOn();
    }
    return plan;
  }

  async facts(name?: string): Promise<StageFacts> {
    return (await this.#asked(name)).facts;
  }

  async page(name?: string): Promise<ApprovalPage> {
    return (await this.#asked(name)).page;
  }

  async #asked(name: string | undefined) {
    const { record } = readRecord(this.paper.record);
    const { contents, plan } = this.paper.last!;
    const request = this.#request(name);
    const asked = askedGate(request, record)!;
    const facts = await stageFacts(asked, { record, contents, config: undefined, history });
    const observations = contents.world.input.observations ?? new Map();
    const of = { ...facts, name: request.planned.name, record, problems: plan.problems, observations };
    return { facts, page: stagePage(asked, of) };
  }

  #request(name: string | undefined) {
    const all = this.paper.last!.plan.approvals;
    return all.find(({ answer, planned }) => answer === undefined && (name ?? planned.name) === planned.name)!;
  }

  answer(status: 'True' | 'False', name?: string): Promise<Plan> {
    const { object } = this.#request(name).file!;
    const text = JSON.stringify(object).replace('"status":"True"', `"status":"${status}"`);
    return this.commit({ [`approvals/${object.metadata.name}.yaml`]: text });
  }
}
