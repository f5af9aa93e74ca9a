import type { DisruptionMode } from '../api/nodes/disruption-modes.ts';
import type { NodeCommand } from '../api/nodes/node-plan.ts';
import { shortList } from '../engine/kernel/short-list.ts';
import type { Plan, PlannedNodes } from '../engine/plan-document.ts';
import type { LeavingNodes, NodesAt } from '../forecast/nodes-of-day.ts';
import type { EventSource } from './event-source.ts';
import { instantText } from './forecast/instant-text.ts';
import { holdEnd } from './hold-text.ts';
import { type Currencies, currenciesOf, money, monthHours } from './money.ts';
import { commandChanges, nodeNames, phaseWords } from './node-happened.ts';
import { type Line, list, type Section, type SectionSource } from './sections/section.ts';

/** A command that begins, enters its next phase, or is done. */
interface NodeEvent {
  readonly kind: 'node-command';
  readonly cluster: string;
  readonly tone: 'moving' | 'good';
  readonly text: string;
}

export const nodeEvents: EventSource<NodeEvent> = {
  events: ({ before, plan, currencies }) =>
    plan.nodes.flatMap(({ clusterName: cluster, commands }) => {
      const currency = currencies?.(cluster);
      const { entered, done } = commandChanges(before.nodes.get(cluster)?.commands ?? [], commands);
      return [
        ...entered.map((command): NodeEvent => {
          const saved = command.isNew ? monthly(command, currency) : '';
          const text = `${phaseWords[command.phase]} ${nodeNames(command)} (${command.reason})${saved}`;
          return { kind: 'node-command', cluster, tone: 'moving', text };
        }),
        ...done.map((command): NodeEvent => {
          const text = `✓ ${nodeNames(command)} removed${monthly(command, currency)}`;
          return { kind: 'node-command', cluster, tone: 'good', text };
        }),
      ];
    }),
  sentences: (events) => events.map(({ cluster, text }) => `${cluster}: ${text}`),
  entries: ({ cluster, tone, text }) => [{ subject: cluster, tone, text }],
};

/** What a command saves; nothing where that is unknown. */
function monthly(command: NodeCommand, currency: string | undefined): string {
  const saving = savingOf({ commands: [command] });
  return saving > 0 ? `, saves ${money(saving * monthHours, currency)} a month` : '';
}

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
export const nodeDisruptions: SectionSource = ({ inEffect, fleet }): Section => {
  const currencies = currenciesOf(fleet);
  return list(
    'Nodes',
    inEffect.nodes.flatMap((planned) => nodeLines(planned, currencies(planned.clusterName)).map((line) => ({ line }))),
  );
};

function nodeLines(planned: PlannedNodes, currency: string | undefined): Line[] {
  const { clusterName, mode, commands } = planned;
  if (commands.length === 0) return [];
  const many = `${commands.length} ${commands.length === 1 ? 'command' : 'commands'}`;
  return [
    [{ bold: clusterName }, ` (${mode}): ${many}${savingText(planned, currency)}`],
    ...commands.map((command) => [{ bold: clusterName }, ' ', ...commandLine(command)]),
  ];
}

/** `, saves 0.5 EUR an hour, 365 EUR a month`; nothing where nothing is saved. */
function savingText(planned: PlannedNodes, currency: string | undefined): string {
  const saving = savingOf(planned);
  return saving > 0
    ? `, saves ${money(saving, currency)} an hour, ${money(saving * monthHours, currency)} a month`
    : '';
}

const commandLine = ({ phase, method, nodes, replacements }: PlannedNodes['commands'][number]): Line => [
  `${phase} ${method}: `,
  { code: shortList(nodes.map(({ name }) => name)) },
  ...(replacements.length === 0
    ? []
    : [
        ` for ${shortList(replacements.map(({ instanceType, zone, capacityType }) => `${instanceType} ${capacityType} in ${zone}`))}`,
      ]),
];

/** Only in mode execute does gitfleet remove them. */
const leavingWord = (mode: DisruptionMode, count: number): string =>
  mode === 'execute' ? (count === 1 ? 'node leaves' : 'nodes leave') : `${count === 1 ? 'node' : 'nodes'} may leave`;

/** Nodes of the commands in some phases. */
const nodesIn = (commands: PlannedNodes['commands'], isOne: (phase: NodeCommand['phase']) => boolean): number =>
  commands.reduce((sum, { phase, nodes }) => (isOne(phase) ? sum + nodes.length : sum), 0);

/** `2 nodes leave, 3 wait` */
function tallyOf({ mode, commands }: PlannedNodes): string {
  const waiting = nodesIn(commands, (phase) => isWaiting(mode, phase));
  const leaving = nodesIn(commands, () => true) - waiting;
  return `${leaving} ${leavingWord(mode, leaving)}${waiting === 0 ? '' : `, ${waitingText(waiting)}`}`;
}

const waitingText = (count: number): string => `${count} ${count === 1 ? 'waits' : 'wait'}`;

/** `2 nodes leaving`, of commands that gitfleet carries out; nothing where there are none. */
export function leavingCount({ nodes }: Pick<Plan, 'nodes'>): string[] {
  const leaving = nodes.reduce((sum, { commands }) => sum + nodesIn(commands, (phase) => phase !== 'Proposed'), 0);
  return leaving === 0 ? [] : [`${leaving} ${leaving === 1 ? 'node' : 'nodes'} leaving`];
}

/** A section for each cluster with nodes that leave or wait: what that saves, each command, and what waits for which window. */
export function nodeSections(plan: Pick<Plan, 'nodes' | 'holds'>, currencies: Currencies): Section[] {
  return plan.nodes.flatMap((planned) => {
    const { clusterName, mode, commands, blocked } = planned;
    const waits = plan.holds.filter(
      ({ subject }) => subject.kind === 'NodePool' && subject.clusterName === clusterName,
    );
    if (commands.length + waits.length === 0) return [];
    const tally = [...Map.groupBy(blocked, ({ reason }) => reason)].map(([reason, of]) => `${reason} ${of.length}`);
    const lines: Line[] = [
      [`Mode ${mode}: ${tallyOf(planned)}${savingText(planned, currencies(clusterName))}`],
      ...commands.map(commandLine),
      ...waits.map((hold): Line => [`Waits: ${hold.message}${holdEnd(hold)}`]),
      ...(tally.length === 0 ? [] : [[`Blocked: ${tally.join(', ')}`]]),
    ];
    return [
      list(
        `Nodes of ${clusterName}`,
        lines.map((line) => ({ line })),
      ),
    ];
  });
}

/**
 * What a change does to the nodes that may go, a sentence for each cluster: now, or from the first instant at which others go, or else at
 * which others wait.
 */
export function nodeEffects(compared: readonly NodesAt[], currencies: Currencies): readonly string[] {
  const names = compared.flatMap(({ before, after }) => [...before, ...after].map(({ clusterName }) => clusterName));
  return [...new Set(names)].flatMap((cluster) => {
    const found = compared.flatMap((one) => nodeEffect(cluster, one, currencies(cluster)) ?? []);
    return (found.find(({ isOfWaiting }) => !isOfWaiting) ?? found[0])?.text ?? [];
  });
}

interface NodeEffect {
  readonly text: string;
  /** Only which nodes wait is other than before. */
  readonly isOfWaiting: boolean;
}

function nodeEffect(cluster: string, of: NodesAt, currency: string | undefined): NodeEffect | undefined {
  const [earlier, planned] = [of.before, of.after].map((all) => all.find(({ clusterName }) => clusterName === cluster));
  const [were, are] = [namesIn(earlier, isLeaving), namesIn(planned, isLeaving)];
  const [waited, wait] = [namesIn(earlier, isWaiting), namesIn(planned, isWaiting)];
  const waiting = waited.symmetricDifference(wait).size === 0 || wait.size === 0 ? '' : `; ${waitingText(wait.size)}`;
  const [old, now] = [were.size, are.size];
  if (planned === undefined)
    return earlier === undefined || old + waited.size === 0
      ? undefined
      : {
          text: `${cluster}: nodes are not planned any more (mode ${earlier.mode} before, ${old + waited.size} might go)`,
          isOfWaiting: false,
        };
  const isOtherMode = earlier !== undefined && earlier.mode !== planned.mode;
  const areOthers = old === now && were.symmetricDifference(are).size > 0;
  const cost = costText(earlier, planned, currency);
  const isOfWaiting = old === now && cost === '' && !areOthers && !isOtherMode;
  if (isOfWaiting && waiting === '') return undefined;
  const when = of.isNow ? 'now' : `from ${instantText(of.at)}`;
  const mode = isOtherMode ? `${planned.mode}, before ${earlier.mode}` : planned.mode;
  const which = now > 0 && (areOthers || isOtherMode) ? ` (${shortList([...are])})` : '';
  const others = areOthers ? ` (${shortList([...were])})` : '';
  const text = `${cluster} (${mode}): ${now} ${now === 1 ? 'node' : 'nodes'} may go ${when}${which}, ${old} before${others}${cost}${waiting}${isOtherMode ? actsText(earlier.mode, planned.mode) : ''}`;
  return { text, isOfWaiting };
}

const actsText = (before: DisruptionMode, after: DisruptionMode): string =>
  after === 'execute'
    ? '; gitfleet carries that out'
    : before === 'execute'
      ? '; gitfleet does not carry that out any more'
      : '';

type IsOne = (mode: DisruptionMode, phase: NodeCommand['phase']) => boolean;

/** What is only proposed in mode execute waits for a limit of the fleet, a freeze, an upgrade or a provider. */
const isWaiting: IsOne = (mode, phase) => mode === 'execute' && phase === 'Proposed';
const isLeaving: IsOne = (mode, phase) => !isWaiting(mode, phase);

const namesIn = (of: LeavingNodes | undefined, isOne: IsOne): ReadonlySet<string> =>
  new Set(
    (of?.commands ?? []).flatMap(({ phase, nodes }) => (isOne(of!.mode, phase) ? nodes.map(({ name }) => name) : [])),
  );

const onlyLeaving = (of: LeavingNodes): LeavingNodes => ({
  ...of,
  commands: of.commands.filter(({ phase }) => isLeaving(of.mode, phase)),
});

/** What a change makes of the saving: empty where that stays, or is unknown before and after. */
function costText(before: LeavingNodes | undefined, after: LeavingNodes, currency: string | undefined): string {
  const [earlier, planned] = [before && onlyLeaving(before), onlyLeaving(after)];
  const [wasKnown, isKnown] = [areSavingsKnown(earlier), areSavingsKnown(planned)];
  if (!wasKnown && !isKnown) return '';
  if (!isKnown) return ', what that saves is not known';
  if (!wasKnown) return `, saves ${money(savingOf(planned) * monthHours, currency)} a month`;
  const saving = savingOf(planned) - (earlier ? savingOf(earlier) : 0);
  if (Math.abs(saving) < 1e-9) return '';
  return `, ${money(Math.abs(saving) * monthHours, currency)} a month ${saving > 0 ? 'less' : 'more'}`;
}

const areSavingsKnown = (of: LeavingNodes | undefined): boolean =>
  (of?.commands ?? []).every(
    ({ reason, priceBefore }) => priceBefore !== undefined || !(reason === 'Empty' || reason === 'Underutilized'),
  );
