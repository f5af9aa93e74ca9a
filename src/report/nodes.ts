import { shortList } from '../engine/kernel/short-list.ts';
import type { PlannedNodes } from '../engine/plan-document.ts';
import type { EventSource } from './event-source.ts';
import { type Line, list, type Section, type SectionSource } from './sections/section.ts';

/** A command that begins, or enters its next phase. */
interface NodeEvent {
  readonly kind: 'node-command';
  readonly cluster: string;
  readonly text: string;
}

export const nodeEvents: EventSource<NodeEvent> = {
  events: ({ before, plan }) =>
    plan.nodes.flatMap(({ clusterName, commands }) => {
      const known = new Map((before.nodes.get(clusterName)?.commands ?? []).map(({ id, phase }) => [id, phase]));
      return commands
        .filter(({ id, phase }) => phase !== 'Proposed' && known.get(id) !== phase)
        .map(({ phase, reason, nodes }): NodeEvent => {
          const names = shortList(nodes.map(({ name }) => name));
          return { kind: 'node-command', cluster: clusterName, text: `${phaseWords[phase]} ${names} (${reason})` };
        });
    }),
  sentences: (events) => events.map(({ cluster, text }) => `${cluster}: ${text}`),
  entries: ({ cluster, text }) => [{ subject: cluster, tone: 'moving', text }],
};

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
