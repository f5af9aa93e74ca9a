import { seededRandom } from '../../src/simulator/random.ts';

/** Everything that a seed decides comes from here, in the order in which it is asked. */
export interface Dice {
  readonly next: () => number;
  chance(probability: number): boolean;
  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number;
  pick<T>(from: readonly T[]): T;
  /** Some of them, in their order. */
  some<T>(from: readonly T[], probability: number): T[];
}

export function dice(seed: string): Dice {
  const next = seededRandom(seed);
  const int = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (from) => from[int(0, from.length - 1)]!,
    some: (from, probability) => from.filter(() => next() < probability),
  };
}
