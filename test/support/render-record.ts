import type { RecordDocument } from '../../src/engine/plan-document.ts';
import { unpacked } from '../../src/repo/record/status-text.ts';
import { packRecord } from '../../src/repo/record/write.ts';

/** Text of every document, by path, as the status branch has it. */
export const renderRecord = (documents: ReadonlyMap<string, RecordDocument>): Map<string, string> =>
  new Map([...packRecord(documents)].map(([path, text]) => [path, unpacked(text)]));
