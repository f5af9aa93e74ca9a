import { type StatusText, unpacked } from '../../repo/record/status-text.ts';
import { byOrigin, type PreviewState } from './preview-state.ts';
import { fullPath, numberOfPath, saysTheSame } from './preview-text.ts';

/** Files, of 256 kB each: every daemon reads the status branch. Branches of the repository come before forks. */
const mostFiles = 20;

/** The texts that comments have only a part of, as files of the status branch. */
export interface CutTexts {
  files(before: ReadonlyMap<string, StatusText>): ReadonlyMap<string, string>;
  wanted(): object;
  /** After a change of the state: whether the files should change. */
  changed(): boolean;
}

/**
 * A file is written once for each text. What another daemon makes of it then stays, as two that overwrite each other would never end;
 * the files of pull requests that are no longer open go.
 */
export function cutTexts(state: () => PreviewState): CutTexts {
  /** Of the status branch when it was last read. */
  let there: ReadonlyMap<number, string> = new Map();
  const written = new Map<number, string>();
  /** Texts to write, and numbers of files to delete. */
  let wanted: readonly (string | number)[] = [];

  const texts = (): ReadonlyMap<number, string> => {
    const cut = [...state().previews.values()].filter(({ planned }) => planned?.text.full !== undefined);
    const kept = cut.sort((a, b) => byOrigin(a.pull, b.pull)).slice(0, mostFiles);
    return new Map(kept.map(({ pull, planned }) => [pull.number, planned!.text.full!]));
  };
  const toWrite = (): readonly [number, string][] =>
    [...texts()].filter(([number, text]) => text !== written.get(number));
  /** Before the first list nothing is known of what is open. */
  const stays = (number: number): boolean => {
    const { previews, listedMs } = state();
    const preview = previews.get(number);
    if (preview === undefined) return listedMs === undefined;
    return preview.planned === undefined || texts().has(number);
  };

  return {
    files(before) {
      there = new Map(
        [...before].flatMap(([path, text]): [number, string][] => {
          const number = numberOfPath(path);
          return number === undefined ? [] : [[number, unpacked(text)]];
        }),
      );
      for (const number of written.keys()) if (!texts().has(number)) written.delete(number);
      for (const [number, text] of toWrite()) if (saysTheSame(there.get(number), text)) written.set(number, text);
      const kept = [...there].filter(([number]) => stays(number));
      return new Map([...kept, ...toWrite()].map(([number, text]) => [fullPath(number), text]));
    },
    wanted: () => wanted,
    changed() {
      const gone = [...there.keys()].filter((number) => !stays(number));
      const next = [...toWrite().map(([, text]) => text), ...gone];
      if (next.length === wanted.length && next.every((part, at) => part === wanted[at])) return false;
      wanted = next;
      return next.length > 0;
    },
  };
}
