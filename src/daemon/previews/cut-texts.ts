import type { PreviewState } from './preview-state.ts';
import { fullPath, numberOfPath, saysTheSame } from './preview-text.ts';

/** The texts that comments have only a part of, as files of the status branch. */
export interface CutTexts {
  files(before: ReadonlyMap<string, string>): ReadonlyMap<string, string>;
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

  const textOf = (number: number): string | undefined => state().previews.get(number)?.planned?.text.full;
  const toWrite = (): readonly [number, string][] =>
    [...state().previews.keys()].flatMap((number): [number, string][] => {
      const text = textOf(number);
      return text === undefined || text === written.get(number) ? [] : [[number, text]];
    });
  /** Before the first list nothing is known of what is open. */
  const stays = (number: number): boolean => {
    const { previews, listedMs } = state();
    const preview = previews.get(number);
    if (preview === undefined) return listedMs === undefined;
    return preview.planned === undefined || preview.planned.text.full !== undefined;
  };

  return {
    files(before) {
      there = new Map(
        [...before].flatMap(([path, text]): [number, string][] => {
          const number = numberOfPath(path);
          return number === undefined ? [] : [[number, text]];
        }),
      );
      for (const number of written.keys()) if (textOf(number) === undefined) written.delete(number);
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
