import type { ClusterName, Timestamp } from '../../api/meta.ts';
import { formatInstant, type Instant } from '../kernel/instant.ts';

interface OperationOwner {
  readonly run: string;
  readonly member: ClusterName;
}

/** `{run}.{member}.{start}`. A provider starts an operation of one id once, so one that follows within a second takes the next. */
export function newOperation(owner: OperationOwner, at: Instant, before: string | undefined): string {
  const id = `${prefixOf(owner)}${compact(formatInstant(Math.floor(at / 1000) * 1000))}`;
  return id === before ? newOperation(owner, at + 1000, before) : id;
}

export const isOperationOf = (owner: OperationOwner, id: string): boolean =>
  id.startsWith(prefixOf(owner)) && compactInstant.test(id.slice(prefixOf(owner).length));

/** The operation that started last. */
export const lastOperationOf = (ids: readonly string[]): string | undefined =>
  ids.toSorted((a, b) => (startIn(a) < startIn(b) ? -1 : 1)).at(-1);

const prefixOf = ({ run, member }: OperationOwner): string => `${run}.${member}.`;

const compactInstant = /^\d{8}T\d{6}Z$/;

const compact = (instant: Timestamp): string => instant.replace(/[-:]/g, '');

const startIn = (id: string): string => id.slice(id.lastIndexOf('.') + 1);
