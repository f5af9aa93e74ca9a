import { describeRef } from '../../engine/selection/object-key.ts';
import { titleOf } from '../../repo/title-of.ts';
import { causeOf } from '../../report/cause.ts';
import type { AssignedObject } from '../status/assigned-objects.ts';
import { differenceLines } from '../status/difference-lines.ts';
import type { KnownPlacement } from '../status/known-placements.ts';
import type { ObjectState } from '../status/object-state.ts';
import type { CommitSummary } from './origin.ts';

/** `at` is RFC 3339. */
export type TracedCommit = Omit<CommitSummary, 'at'> & { readonly at: string };

/** How one object came to one cluster. */
export interface Trace extends ObjectState {
  readonly clusterName: string;
  readonly object: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace?: string | undefined;
    readonly name: string;
  };
  /** The overrides leave it out on this cluster. */
  readonly dropped: boolean;
  /** Why it is not there yet. */
  readonly why?: string;
  readonly placement: Pick<KnownPlacement, 'kind' | 'name' | 'namespace'> & { readonly file: string | undefined };
  readonly snapshot: {
    readonly index: number;
    readonly latest: boolean;
    readonly createdAt: string | undefined;
    /** Only its id when the repository does not have it any more. */
    readonly commit: TracedCommit | { readonly id: string } | undefined;
  };
  readonly source: { readonly file: string; readonly changedBy: TracedCommit | undefined } | undefined;
  readonly envelope: AssignedObject['envelope'];
  readonly overrides: readonly { readonly snapshot: string; readonly file: string | undefined }[];
}

/** A trace as text, from the object back to the commit. */
export function traceText(trace: Trace): string {
  const { object, clusterName, placement, snapshot, source, envelope, overrides } = trace;
  const lines: [string, string | undefined][] = [
    ['Object', `${describeRef(object)} on ${clusterName}`],
    ['State', stateText(trace)],
    ['Placement', `${placement.kind} ${titleOf(placement)}${at(placement.file)}`],
    [
      'Snapshot',
      `${snapshot.index}${snapshot.latest ? ', the latest' : ''}${snapshot.createdAt ? `, taken ${snapshot.createdAt}` : ''}`,
    ],
    ['Commit', snapshot.commit && commitText(snapshot.commit)],
    ['File', source && fileText(source)],
    ['Envelope', envelope && describeRef({ ...envelope, kind: envelope.type })],
    ...overrides.map((override): [string, string] => ['Override', `${override.snapshot}${at(override.file)}`]),
  ];
  return [
    ...lines.flatMap(([title, text]) => (text === undefined ? [] : [`${`${title}:`.padEnd(11)} ${text}`])),
    ...differenceLines(trace).map((line) => `            ${line}`),
  ].join('\n');
}

function stateText({ dropped, state, failed, why, overrides }: Trace): string {
  if (dropped) return `left out on this cluster by ${overrides.map(({ snapshot }) => snapshot).join(', ')}`;
  if (!failed) return why === undefined ? state : `${state}: ${why}`;
  return `${state}: ${causeOf(failed.condition)}`;
}

const at = (file: string | undefined): string => (file === undefined ? '' : ` (${file})`);

const fileText = ({ file, changedBy }: NonNullable<Trace['source']>): string =>
  changedBy === undefined ? file : `${file}, last changed by ${commitText(changedBy)}`;

const commitText = (commit: NonNullable<Trace['snapshot']['commit']>): string =>
  'subject' in commit
    ? `${commit.id.slice(0, 12)} "${commit.subject}" (${commit.author}, ${commit.at})`
    : `${commit.id.slice(0, 12)}, which this repository does not have`;
