import type { Desired } from './desired.ts';
import type { Dice } from './dice.ts';

/** Where people are asked before a staged app comes to `prod`. */
export type Gate = 'before' | 'after';

/** What people ask of runs and of the whole fleet besides, and a team that has a namespace for itself. */
export interface Gates {
  frozen: boolean;
  /** Names of runs whose file says that they are to stop. */
  readonly stopped: Set<string>;
  /** By app. */
  readonly of: Map<string, readonly Gate[]>;
  /** Requests that were answered with no: path and text. One that asks for something else is answered anew. */
  readonly refused: Map<string, string>;
  /** Version of what a ResourcePlacement brings into the namespace of a team. */
  team: number;
}

export const drawGates = (dice: Dice): Gates => ({
  frozen: false,
  stopped: new Set(),
  of: new Map(),
  refused: new Map(),
  team: dice.int(1, 3),
});

export const gatesOf = ({ gates }: Desired, app: string): readonly Gate[] => gates?.of.get(app) ?? ['after'];

/** What was asked for in one commit, by those who check what came of it. */
export interface GateWish {
  readonly frozen: boolean;
  readonly stopped: ReadonlySet<string>;
  readonly of: ReadonlyMap<string, readonly Gate[]>;
  /** Names of approvals that say yes on main. */
  readonly yes: ReadonlySet<string>;
}

export function gateWish({ gates, merged }: Desired): GateWish | undefined {
  if (!gates) return undefined;
  const yes = [...merged]
    .filter(([, text]) => !saysNo(text))
    .map(([path]) => path.replace(/^approvals\/|\.yaml$/g, ''));
  return { frozen: gates.frozen, stopped: new Set(gates.stopped), of: new Map(gates.of), yes: new Set(yes) };
}

/** The same file, with no for an answer. */
export const refusing = (text: string): string => text.replace(/status: "?True"?/, 'status: "False"');

const saysNo = (text: string): boolean => text.includes('status: "False"');
