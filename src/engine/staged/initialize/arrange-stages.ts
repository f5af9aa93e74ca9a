import type { ClusterName } from '../../../api/meta.ts';
import type { StageConfig } from '../../../api/staged.ts';
import { byText } from '../../kernel/ordering.ts';
import { type Labels, matchesSelector } from '../../kernel/selector.ts';
import { stageFault } from './stage-tasks.ts';

interface Candidate {
  readonly name: ClusterName;
  readonly labels: Labels;
}

export type Arrangement =
  | { readonly ok: true; readonly stages: readonly ArrangedStage[] }
  | { readonly ok: false; readonly message: string };

export interface ArrangedStage {
  readonly clusters: readonly ClusterName[];
  /** Clusters of the stage without the sorting label that it names, by name. */
  readonly withoutSortingLabel: readonly ClusterName[];
}

/**
 * Assigns the selected clusters to stages and sorts them: checks 11 to 14 of the initialization, in KubeFleet's order
 * (updaterun/initialization.go, computeRunStageStatus). A stage without a labelSelector selects nothing, an empty
 * selector everything; an empty stage is legal.
 */
export function arrangeStages(request: {
  readonly strategyName: string;
  readonly stages: readonly StageConfig[];
  readonly selected: readonly Candidate[];
}): Arrangement {
  const { strategyName, stages, selected } = request;
  const placedIn = new Map<ClusterName, string>();
  const arranged: ArrangedStage[] = [];
  for (const stage of stages) {
    const fault = stageFault(stage);
    if (fault) return failed(`strategy ${strategyName}, stage ${stage.name}: ${fault}`);
    const { labelSelector } = stage;
    const members = labelSelector ? selected.filter(({ labels }) => matchesSelector(labelSelector, labels)) : [];
    for (const { name } of members) {
      const earlier = placedIn.get(name);
      if (earlier !== undefined)
        return failed(`cluster ${name} appears in more than one stages: ${earlier} and ${stage.name}`);
    }
    for (const { name } of members) placedIn.set(name, stage.name);
    arranged.push(inOrder(members, stage.sortingLabelKey));
  }
  const unplaced = selected.filter(({ name }) => !placedIn.has(name)).map(({ name }) => name);
  if (unplaced.length === 0) return { ok: true, stages: arranged };
  const shown = unplaced.sort(byText).slice(0, 10).join(', ');
  return failed(`some clusters are not placed in any stage, total ${unplaced.length}, showing up to 10: ${shown}`);
}

const failed = (message: string): Arrangement => ({ ok: false, message });

/**
 * Ascending by label, ties by name: as integers when every value is one, else in byte order. Clusters without the label
 * come last, by name (docs/compatibility.md; KubeFleet fails on both).
 */
function inOrder(members: readonly Candidate[], key: string | undefined): ArrangedStage {
  const names = (list: readonly Candidate[]): ClusterName[] => list.map(({ name }) => name).sort(byText);
  if (key === undefined || key === '') return { clusters: names(members), withoutSortingLabel: [] };
  const labelled = members.filter(({ labels }) => Object.hasOwn(labels, key));
  const unlabelled = names(members.filter(({ labels }) => !Object.hasOwn(labels, key)));
  const numeric = labelled.every(({ labels }) => /^[+-]?\d+$/.test(labels[key] ?? ''));
  const compare = numeric
    ? (a: string, b: string) => compareIntegers(BigInt(a.replace('+', '')), BigInt(b.replace('+', '')))
    : byText;
  const ordered = [...labelled].sort(
    (a, b) => compare(a.labels[key] ?? '', b.labels[key] ?? '') || byText(a.name, b.name),
  );
  return { clusters: [...ordered.map(({ name }) => name), ...unlabelled], withoutSortingLabel: unlabelled };
}

const compareIntegers = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
