import type { StagedUpdateRun } from '../../src/api/staged.ts';
import type { GateWish } from './gates.ts';
import { parsed } from './parsed.ts';

type Files = Readonly<Record<string, string>>;

/** Rules of what may be published of runs, told from what people asked for in the commit that it was decided for. */
export function badRuns(before: Files, after: Files, wish: GateWish | undefined): string[] {
  if (!wish) return [];
  return Object.entries(after).flatMap(([path, text]) => {
    const name = /^runs\/([^/]+)\.yaml$/.exec(path)?.[1];
    // Of a run that nobody remembered nothing is known that it did before.
    if (name === undefined || before[path] === undefined || before[path] === text) return [];
    const [was, is] = [parsed(before[path]) as StagedUpdateRun, parsed(text) as StagedUpdateRun];
    const started = startsOf(is).filter((start) => !startsOf(was).includes(start));
    if (started.length === 0) return [];
    const gates = wish.of.get(is.spec.placementName) ?? [];
    const hasDev = (is.status?.stagesStatus?.[0]?.clusters ?? []).length > 0;
    const came = (to: string) => started.some((start) => start.startsWith(to));
    const asksFor = (gate: string): boolean => !wish.yes.has(gate);
    return [
      ...(isOver(was) ? [`${name} is over and started ${started.join(', ')}`] : []),
      ...(wish.stopped.has(name) ? [`${name} started ${started.join(', ')} although it was stopped`] : []),
      ...(wish.frozen ? [`${name} started ${started.join(', ')} although the fleet was frozen`] : []),
      ...(came('prod ') && gates.includes('before') && asksFor(`${name}-before-prod`)
        ? [`${name} came to prod unasked`]
        : []),
      ...(came('prod ') && hasDev && gates.includes('after') && asksFor(`${name}-after-dev`)
        ? [`${name} left dev unasked`]
        : []),
    ];
  });
}

/** `stage cluster instant`: one that was evicted in flight is started again. */
const startsOf = ({ status }: StagedUpdateRun): string[] =>
  (status?.stagesStatus ?? []).flatMap(({ stageName, clusters }) =>
    clusters.flatMap(({ clusterName, conditions = [] }) =>
      conditions
        .filter(({ type, status }) => type === 'Started' && status === 'True')
        .map(({ lastTransitionTime }) => `${stageName} ${clusterName} ${lastTransitionTime}`),
    ),
  );

const isOver = ({ status }: StagedUpdateRun): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Succeeded' && is !== 'Unknown') === true;
