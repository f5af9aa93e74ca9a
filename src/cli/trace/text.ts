import { describeRef } from '../../engine/selection/object-key.ts';
import { titleOf } from '../../repo/title-of.ts';
import { differenceLines } from '../status/difference-lines.ts';
import type { Trace } from './trace.ts';

/** A trace as a person reads it, from the object back to the commit. */
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
  const { reason, message } = failed.condition;
  return `${state}: ${reason}${message ? `: ${message}` : ''}`;
}

const at = (file: string | undefined): string => (file === undefined ? '' : ` (${file})`);

const fileText = ({ file, changedBy }: NonNullable<Trace['source']>): string =>
  changedBy === undefined ? file : `${file}, last changed by ${commitText(changedBy)}`;

const commitText = (commit: NonNullable<Trace['snapshot']['commit']>): string =>
  'subject' in commit
    ? `${commit.id.slice(0, 12)} "${commit.subject}" (${commit.author}, ${commit.at})`
    : `${commit.id.slice(0, 12)}, which this repository does not have`;
