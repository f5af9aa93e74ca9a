import type { ApprovalRequestName } from '../../engine/gate/request.ts';
import type { Plan } from '../../engine/plan-document.ts';
import type { ClusterState } from '../cluster-states.ts';
import type { DashboardInput } from '../dashboard-input.ts';
import type { InEffect } from '../in-effect.ts';

/** A piece of a line. A renderer escapes plain text, and shows the others as far as its format can. */
export type Span =
  | string
  | { readonly bold: string }
  | { readonly code: string }
  | { readonly link: string; readonly path: string }
  /** A page elsewhere. */
  | { readonly link: string; readonly url: string };
export type Line = readonly Span[];

/** As a terminal shows it. */
export const plainText = (line: Line, bold: (text: string) => string = (text) => text): string =>
  line
    .map((span) => {
      if (typeof span === 'string') return span;
      if ('bold' in span) return bold(span.bold);
      return 'code' in span ? span.code : span.link;
    })
    .join('');

/** One thing that a section lists. */
export interface Item {
  readonly line: Line;
  /** What it waits for. */
  readonly ask?: ApprovalRequestName;
  /** It does not end by itself. */
  readonly needsUser?: boolean;
}

/** One aspect of the fleet, as a list or as a table. A section without rows is left out. */
export interface Section {
  readonly title: string;
  /** What holds for all of its rows. */
  readonly intro?: string;
  readonly rows:
    | { readonly kind: 'list'; readonly items: readonly Item[] }
    | { readonly kind: 'table'; readonly headings: readonly string[]; readonly cells: readonly (readonly Line[])[] };
  /** How many of its rows need a user; absent = none. */
  readonly attention?: number;
  /** Folder with all rows, where only the first are shown; `total`: their number, where only the first were made. */
  readonly folder?: string;
  readonly total?: number;
}

/** What sections are made from. */
export interface SectionInput extends DashboardInput {
  readonly plan: Plan;
  readonly inEffect: InEffect;
  /** Those first that need attention. */
  readonly clusters: readonly ClusterState[];
}

export type SectionSource = (input: SectionInput) => Section;

/** Rows beyond which a section only counts: a forge shows a page, not a database. */
export const mostRows = 200;

export const list = (
  title: string,
  items: readonly Item[],
  more: Pick<Section, 'intro' | 'folder' | 'attention'> = {},
): Section => ({
  title,
  rows: { kind: 'list', items },
  ...more,
});

/** A list of which every row needs a user. */
export const todoList = (
  title: string,
  items: readonly Item[],
  more: Pick<Section, 'intro' | 'folder'> = {},
): Section => list(title, items, { ...more, attention: items.length });

/** How many rows there are, shown or not. */
export const sizeOf = ({ rows }: Section): number => (rows.kind === 'list' ? rows.items : rows.cells).length;
