import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Plan } from '../../src/engine/plan-document.ts';
import { deployment, member, PaperFleet } from '../support/paper-fleet.ts';

/**
 * Stories of delivery. A story is a text: lines that begin with `$ ` are what happens, what follows a `$ plan` is what the
 * plan says then. `npx vitest run test/scenarios/stories.test.ts -u` writes what plans say now; read the difference.
 */
const folder = join(import.meta.dirname, 'stories');
const untrackable =
  '---\napiVersion: acme.io/v1\nkind: Widget\nmetadata: {name: one, namespace: web}\n---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.acme.io}\nspec: {group: acme.io, scope: Namespaced, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true, storage: true}]}\n';

class Teller {
  readonly paper = new PaperFleet({});

  /** What one line makes happen; `plan` answers with what it says. */
  async tell(line: string): Promise<string[]> {
    const { paper } = this;
    const [verb, ...words] = line.split(' ');
    const [first = '', ...others] = words;
    const rest = others.join(' ');
    switch (verb) {
      case 'member':
        paper.files[`clusters/${first}.yaml`] = member(first, rest === '' ? {} : parse(rest));
        return [];
      case 'taint':
        paper.files[`clusters/${first}.yaml`] = member(first, {}, `taints: [{key: ${rest}, effect: NoSchedule}]`);
        return [];
      case 'placement':
        paper.files['web.yaml'] = object('ClusterResourcePlacement', 'web', {
          resourceSelectors: [{ group: '', version: 'v1', kind: 'Namespace', name: 'web' }],
          ...parse(words.join(' ')),
        });
        return [];
      case 'version':
        paper.files['resources/web.yaml'] = deployment('web', 'web', `web:${first}`);
        return [];
      case 'version-with-widget':
        paper.files['resources/web.yaml'] = deployment('web', 'web', `web:${first}`) + untrackable;
        return [];
      case 'budget':
        paper.files['budget.yaml'] = object('ClusterResourcePlacementDisruptionBudget', 'web', parse(words.join(' ')));
        return [];
      case 'evict':
        paper.files[`${first}.yaml`] = object('ClusterResourcePlacementEviction', first, {
          placementName: 'web',
          clusterName: rest,
        });
        return [];
      case 'strategy':
        paper.files['strategy.yaml'] = object('ClusterStagedUpdateStrategy', 'all', parse(words.join(' ')));
        return [];
      case 'run':
        paper.files[`${first}.yaml`] = object('ClusterStagedUpdateRun', first, {
          placementName: 'web',
          stagedRolloutStrategyName: 'all',
          ...(rest === '' ? {} : parse(rest)),
        });
        return [];
      case 'result': {
        // Of the Deployment; without a word it is simply applied again.
        const outcome = {
          object: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'web', name: 'web' },
          ...(parse(rest) as { result: string }),
        };
        paper.results.set(`${first}/web`, rest === '' ? [] : [outcome]);
        return [];
      }
      case 'delete': {
        const held = paper.members.get(first)!.get('web')!;
        paper.members.get(first)!.set('web', { ...held, objects: held.objects.filter(({ kind }) => kind !== rest) });
        return [];
      }
      case 'break':
        paper.broken.add(`${first}/Deployment/web`);
        paper.refresh();
        return [];
      case 'mend':
        paper.broken.delete(`${first}/Deployment/web`);
        paper.refresh();
        return [];
      case 'deliver':
        paper.deliver(first === '' ? undefined : first);
        return [];
      case 'pass':
        paper.pass(Number(first));
        return [];
      case 'plan':
        return reported(await paper.plan());
      default:
        throw new Error(`no such thing happens: ${line}`);
    }
  }
}

const object = (kind: string, name: string, spec: object): string =>
  JSON.stringify({ apiVersion: 'placement.kubernetes-fleet.io/v1beta1', kind, metadata: { name }, spec });

function reported({ placements: [web], holds, evictions, runs, wakeAt }: Plan): string[] {
  const last = web!.conditions.at(-1)!;
  return [
    ...web!.bindings.map(
      ({ clusterName, state, resourceSnapshotIndex, move }) =>
        `${clusterName} ${state} ${resourceSnapshotIndex ?? '-'} ${move}`,
    ),
    ...web!.bindings.flatMap(({ clusterName, conditions }) =>
      conditions
        .filter(({ type, status }) => (type === 'Applied' || type === 'Available') && status === 'False')
        .map(({ type, message }) => `${clusterName} is not ${type}: ${message}`),
    ),
    ...holds.map(({ reason, message }) => `${reason}: ${message}`),
    ...evictions.map(({ name, status }) => `${name}: ${status.conditions.at(-1)!.message}`),
    ...runs.map(({ name, status }) => `${name}: ${status.conditions!.map(({ reason }) => reason).join(', ')}`),
    `${last.type.replace('ClusterResourcePlacement', '')} ${last.status}: ${last.reason}`,
    ...(wakeAt === undefined ? [] : [`wakes at ${wakeAt}`]),
  ];
}

it.each(readdirSync(folder).sort())('%s', async (name) => {
  const path = join(folder, name);
  const teller = new Teller();
  const told: string[] = [];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line.startsWith('#')) told.push(line);
    if (!line.startsWith('$ ')) continue;
    told.push(line, ...(await teller.tell(line.slice(2))).map((answer) => `  ${answer}`));
  }
  await expect(`${told.join('\n')}\n`).toMatchFileSnapshot(path);
});
