import type { Position } from '../yaml/positions.ts';
import { type Asked, positionsIn } from './parse-pool.ts';

export interface AskedPlace extends Asked {
  readonly file: string;
}

/** Positions of parts of documents. `texts`: by path; each is parsed once, since a file may have thousands of findings. */
export async function placesIn(
  texts: ReadonlyMap<string, string>,
  asked: readonly AskedPlace[],
): Promise<ReadonlyMap<AskedPlace, Position>> {
  const places = new Map<AskedPlace, Position>();
  for (const [file, ofFile] of Map.groupBy(asked, (place) => place.file)) {
    const positions = await positionsIn(texts.get(file) ?? '', ofFile);
    for (const [at, place] of ofFile.entries()) places.set(place, positions[at]!);
  }
  return places;
}
