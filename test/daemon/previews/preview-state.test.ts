import { expect, it } from 'vitest';
import {
  afterPreviewEvent,
  firstPreviewState,
  nextPreviewCall,
  type PreviewState,
  previewTroubles,
} from '../../../src/daemon/previews/preview-state.ts';

const minute = 60_000;
const live = { commit: 'c', digest: 'd' };
const text = {
  body: 'b',
  full: undefined,
  status: { state: 'success', description: 'no change' },
  isEmpty: false,
} as const;
const pull = { number: 1, url: '', head: 'x', headCommit: 'h', state: 'open', title: '', body: '' } as const;

/** Minutes at which a status is sent within a day, to a forge that refuses as long as `refuses` says. */
function statusesSent(isFork: boolean, refuses: (sent: number) => boolean): { sent: number[]; state: PreviewState } {
  const of = { ...pull, isFork };
  const sent: number[] = [];
  let state = firstPreviewState;
  for (let now = 0; now < 24 * 60 * minute; now += minute) {
    for (;;) {
      const { call } = nextPreviewCall(state, live, now);
      if (call === undefined) break;
      const after = (event: Parameters<typeof afterPreviewEvent>[1]) => {
        state = afterPreviewEvent(state, event, now);
      };
      if (call.kind === 'list') after({ kind: 'listed', pulls: [of] });
      else if (call.kind === 'plan')
        after({ kind: 'planned', pull: of, of: live, text, spentMs: 1, isTooCostly: false });
      else if (call.kind === 'comment') after({ kind: 'commented', pull: of, body: call.body, editedMs: now });
      else {
        sent.push(now / minute);
        if (refuses(sent.length)) after({ kind: 'failed', call, code: 'refused', why: '409', retryAfterMs: undefined });
        else after({ kind: 'statusSet', pull: of, status: call.status });
      }
    }
  }
  return { sent, state };
}

it('a status that the forge refuses is sent again, each time later, until it is accepted', () => {
  const conflict = statusesSent(false, (sent) => sent === 2);
  expect(conflict.sent).toEqual([0, 0, 5]);
  expect(previewTroubles(conflict.state, 0)).toEqual([]);
  // The first is `pending`, and counts too.
  const lasting = statusesSent(false, () => true);
  expect(lasting.sent.slice(0, 6)).toEqual([0, 0, 10, 30, 70, 130]);
  expect(previewTroubles(lasting.state, 0)).toEqual(['409']);
});

it('statuses of forks are tried again after an hour', () => {
  expect(statusesSent(true, (sent) => sent === 1).sent).toEqual([0, 60]);
});
