import { listUpTo } from '../../engine/kernel/short-list.ts';

/** Clusters named in one line. */
const mostNamed = 10;

interface Named {
  readonly clusterName: string;
}

/** A stage of a run of either kind, as far as it is behind a gate. */
interface Stage<C extends Named> {
  readonly name: string;
  /** Groups that it starts, with what each waits for, where it has some. */
  readonly groups?: readonly string[];
  /** That it updates, without those that are held back by gates within it. */
  readonly clusters: readonly C[];
  readonly maxConcurrency: number | string;
  /** What happens first, besides approvals: `after a soak of 2h0m0s`. */
  readonly waits: readonly string[];
}

/** A stage as the way from a gate passes it. Stages without clusters are no step: they are skipped, with their gates and soaks. */
export interface StageAhead<C extends Named> extends Stage<C> {
  /** Approvals that are not given yet, of all that holds back its clusters. */
  readonly before: readonly string[];
  /** What else has to be done before it is over: `once group eu is done too`. */
  readonly ends: readonly string[];
  /** Approvals that are not given yet, of what follows the stage. */
  readonly after: readonly string[];
  /** What happens before what follows it, at the same time as these approvals are asked. */
  readonly waitsAfter: readonly string[];
}

/** What happens behind a gate before anybody is asked again. */
export interface Opened<C extends Named> {
  /** In order; none without clusters. */
  readonly stages: readonly Stage<C>[];
  /** Clusters that the run cleans up at its end, when that comes before the next gate. */
  readonly removed: readonly C[];
  /** What happens after the stages, before the removals or the next gate. */
  readonly waits: readonly string[];
  /** The next gates, what happens before them, and the stage that they hold back, which is undefined for those after its clusters. */
  readonly next?: {
    readonly approvals: readonly string[];
    readonly waits: readonly string[];
    readonly stage: Stage<C> | undefined;
  };
}

/** The way from a gate up to the next one or the end of the run. `removed`: what the run removes at its end. */
export function openedBy<C extends Named>(ahead: readonly StageAhead<C>[], removed: readonly C[] = []): Opened<C> {
  const stages: Stage<C>[] = [];
  let waits: readonly string[] = [];
  for (const { before, ends, after, waitsAfter, ...own } of ahead) {
    const stage: Stage<C> = { ...own, waits: [...waits, ...own.waits] };
    if (before.length > 0)
      return { stages, removed: [], waits, next: { approvals: before, waits: stage.waits, stage } };
    if (stage.clusters.length > 0) stages.push(stage);
    waits = [...(stage.clusters.length > 0 ? [] : stage.waits), ...ends];
    if (after.length > 0) return { stages, removed: [], waits, next: { approvals: after, waits, stage: undefined } };
    waits = [...waits, ...waitsAfter];
  }
  return { stages, removed, waits };
}

/** The stages, and the one that waits behind the next gates. */
export const stagesAhead = <C extends Named>({
  stages,
  next,
}: Pick<Opened<C>, 'stages' | 'next'>): Opened<C>['stages'] => (next?.stage ? [...stages, next.stage] : stages);

/** The same for a title, the worst first: `removal from 1 cluster, production (3 clusters)`. */
export function openedTitle<C extends Named>({ stages, removed, next }: Opened<C>): string {
  const parts = [
    ...(removed.length === 0 ? [] : [`removal from ${clustersOf(removed)}`]),
    ...stages.map(({ name, clusters }) => `${name} (${clustersOf(clusters)})`),
  ];
  return parts.length > 0 ? listUpTo(parts, 3) : next ? 'no cluster yet' : 'the end of the run';
}

/** The condition of a title whose run starts nothing now. */
export const haltedTitle = (halt: 'failed' | 'stopped' | undefined): string =>
  halt === undefined ? '' : `, once the ${halt} run continues`;

/** What an approval starts, stage by stage, and where the run waits for the next one. */
export function openedTexts<C extends Named>({ stages, removed, waits, next }: Opened<C>): string[] {
  const removal = { waits, text: `the removal from ${clustersOf(removed)}: ${namesOf(removed)}` };
  const steps = [
    ...stages.map((stage) => ({ waits: stage.waits, text: stageText(stage) })),
    ...(removed.length === 0 ? [] : [removal]),
  ].map((step, at) => stepText(step, at > 0));
  if (next === undefined) return steps.length === 0 ? ['the end of the run: nothing is left after it'] : steps;
  const approvals = `${next.approvals.length === 1 ? 'approval' : 'approvals'} ${listUpTo(next.approvals, mostNamed)}`;
  const { stage } = next;
  if (steps.length > 0) {
    const text = `${stage ? `stage ${stage.name}` : 'the run'} waits for ${approvals}`;
    return [...steps, stepText({ waits: next.waits, text }, true)];
  }
  const text = `${stage && stage.clusters.length > 0 ? `${stageText(stage)},` : 'the run'} also waits for ${approvals}`;
  return [`nothing yet: ${stepText({ waits: next.waits, text }, false)}`];
}

const stepText = ({ waits, text }: { readonly waits: readonly string[]; readonly text: string }, isLater: boolean) =>
  [...(isLater ? ['then'] : []), ...(waits.length === 0 ? [] : [waits.join(' and ')]), text].join(' ');

const stageText = <C extends Named>({ name, groups = [], clusters, maxConcurrency }: Stage<C>): string => {
  const of = groups.length === 0 ? '' : ` (${groups.length === 1 ? 'group' : 'groups'} ${listUpTo(groups, mostNamed)})`;
  return `stage ${name}${of}, ${clustersOf(clusters)}, at most ${maxConcurrency} at once: ${namesOf(clusters)}`;
};

/** Names of clusters for one line. */
export const namesOf = (clusters: readonly Named[]): string =>
  listUpTo(
    clusters.map(({ clusterName }) => clusterName),
    mostNamed,
  );

export const clustersOf = ({ length }: readonly unknown[]): string =>
  `${length} ${length === 1 ? 'cluster' : 'clusters'}`;
