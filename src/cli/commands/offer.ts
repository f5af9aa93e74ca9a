import { Argument, Option } from 'commander';

/** What a shell may offer for an argument, or for the value of a flag. */
export type Offer =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** Kinds of the status branch, and `kind/name`. */
  | { readonly kind: 'kinds'; readonly kinds: readonly string[] }
  /** Names of the objects of a kind on the status branch. */
  | { readonly kind: 'names'; readonly of: string }
  /** Names of the objects of the kind in the argument before it. */
  | { readonly kind: 'namesOfKind' };

const offers = new WeakMap<Argument | Option, Offer>();

/** An argument or flag with what a shell may offer for it. */
export function offering<T extends Argument | Option>(of: T, offer: Offer): T {
  offers.set(of, offer);
  return of;
}

/** What a shell may offer: as set by `offering`, otherwise by name. */
export const offerOf = (of: Argument | Option): Offer | undefined =>
  offers.get(of) ?? byName[of instanceof Option ? of.attributeName() : of.name()];

const byName: Readonly<Record<string, Offer>> = {
  cluster: { kind: 'names', of: 'cluster' },
  withoutCluster: { kind: 'names', of: 'cluster' },
  placement: { kind: 'names', of: 'placement' },
  name: { kind: 'namesOfKind' },
};

/** An argument for one of these kinds. */
export const kindArgument = (description: string, kinds: readonly string[]): Argument =>
  offering(new Argument('<kind>', description), { kind: 'kinds', kinds });
