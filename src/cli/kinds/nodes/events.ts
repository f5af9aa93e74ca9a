import type { Manifest } from '../../../api/meta.ts';
import { numberAt, textAt } from '../../../engine/node-pools/read-fields.ts';
import { table } from '../../terminal/table.ts';

/** What Karpenter says it did, or could not do. */
export interface KarpenterEvent {
  readonly lastSeen: string;
  readonly type: string;
  readonly reason: string;
  /** `NodeClaim default-abcde`. */
  readonly object: string;
  readonly message: string;
  readonly count: number;
}

/** Its events about these objects, the latest last. */
export function eventsAbout(live: readonly Manifest[], objects: readonly string[]): readonly KarpenterEvent[] {
  return live
    .filter(({ kind }) => kind === 'Event')
    .map((event) => ({
      lastSeen: textAt(event, 'lastTimestamp') ?? event.metadata.creationTimestamp ?? '',
      type: textAt(event, 'type') ?? '',
      reason: textAt(event, 'reason') ?? '',
      object: `${textAt(event, 'involvedObject', 'kind')} ${textAt(event, 'involvedObject', 'name')}`,
      message: textAt(event, 'message') ?? '',
      count: numberAt(event, 'count') ?? 1,
    }))
    .filter(({ object }) => objects.includes(object))
    .sort((a, b) => (`${a.lastSeen} ${a.object} ${a.reason}` < `${b.lastSeen} ${b.object} ${b.reason}` ? -1 : 1));
}

export const eventTable = (events: readonly KarpenterEvent[]): string =>
  events.length === 0
    ? '<none>'
    : table(
        ['LAST-SEEN', 'TYPE', 'REASON', 'OBJECT', 'COUNT', 'MESSAGE'],
        events.map(({ lastSeen, type, reason, object, count, message }) => [
          lastSeen,
          type,
          reason,
          object,
          count,
          message,
        ]),
      );
