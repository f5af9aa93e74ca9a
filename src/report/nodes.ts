import type { NodeCommand } from '../api/nodes/node-plan.ts';
import { shortList } from '../engine/kernel/short-list.ts';
import type { PlannedNodes } from '../engine/plan-document.ts';
import type { EventSource } from './event-source.ts';
import { type Line, list, type Section, type SectionSource } from './sections/section.ts';

/** A command that begins, enters its next phase, or is done. */
interface NodeEvent {
  readonly kind: 'node-command';
  readonly cluster: string;
  readonly tone: 'moving' | 'good';
  readonly text: string;
}

export const nodeEvents: EventSource<NodeEvent> = {
  events: ({ before, plan }) =>
    plan.nodes.flatMap(({ clusterName: cluster, commands }) => {
      const recorded = before.nodes.get(cluster)?.commands ?? [];
      const known = new Map(recorded.map(({ id, phase }) => [id, phase]));
      const present = new Set(commands.map(({ id }) => id));
      const entered = commands.filter(({ id, phase }) => phase !== 'Proposed' && known.get(id) !== phase);
      const done = recorded.filter(({ id, phase }) => phase === 'Removing' && !present.has(id));
      return [
        ...entered.map((command): NodeEvent => {
          const saved = known.has(command.id) ? '' : monthly(command);
          const text = `${phaseWords[command.phase]} ${namesOf(command)} (${command.reason})${saved}`;
          return { kind: 'node-command', cluster, tone: 'moving', text };
        }),
        ...done.map((command): NodeEvent => {
          const text = `✓ ${namesOf(command)} removed${monthly(command)}`;
          return { kind: 'node-command', cluster, tone: 'good', text };
        }),
      ];
    }),
  sentences: (events) => events.map(({ cluster, text }) => `${cluster}: ${text}`),
  entries: ({ cluster, tone, text }) => [{ subject: cluster, tone, text }],
};

const namesOf = ({ nodes }: Pick<NodeCommand, 'nodes'>): string => shortList(nodes.map(({ name }) => name));

/** What a command saves; nothing where that is unknown. */
function monthly(command: NodeCommand): string {
  const saving = savingOf({ commands: [command] });
  return saving > 0 ? `, saves ${money(saving * monthHours)} a month` : '';
}

const phaseWords = {
  Proposed: 'propose to remove',
  Validating: 'check before removing',
  Launching: 'launch replacements for',
  Removing: 'remove',
} as const;

/** Hours of a month, as prices are compared. */
export const monthHours = 730;

/** Per hour, of all commands whose prices are known and that are meant to save something. */
export const savingOf = ({ commands }: Pick<PlannedNodes, 'commands'>): number =>
  commands.reduce(
    (sum, { reason, priceBefore, priceAfter }) =>
      (reason === 'Empty' || reason === 'Underutilized') && priceBefore !== undefined
        ? sum + priceBefore - priceAfter
        : sum,
    0,
  );

/** What becomes of nodes: a line for each cluster with commands. */
export const nodeDisruptions: SectionSource = ({ plan }): Section =>
  list(
    'Nodes',
    plan.nodes.flatMap((planned) => nodeLines(planned).map((line) => ({ line }))),
  );

export function nodeLines(planned: PlannedNodes): Line[] {
  const { clusterName, mode, commands } = planned;
  if (commands.length === 0) return [];
  const saving = savingOf(planned);
  const saved = saving > 0 ? `, saves ${money(saving)} an hour, ${money(saving * monthHours)} a month` : '';
  return [
    [{ bold: clusterName }, ` (${mode}): ${commands.length} ${commands.length === 1 ? 'command' : 'commands'}${saved}`],
    ...commands.map(
      ({ phase, method, nodes, replacements }): Line => [
        `${phase} ${method}: `,
        { code: shortList(nodes.map(({ name }) => name)) },
        ...(replacements.length === 0
          ? []
          : [
              ` for ${shortList(replacements.map(({ instanceType, zone, capacityType }) => `${instanceType} ${capacityType} in ${zone}`))}`,
            ]),
      ],
    ),
  ];
}

export const money = (amount: number): string => String(Number(amount.toFixed(amount < 10 ? 4 : 2)));
