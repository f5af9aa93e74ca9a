import { Argument, Option } from 'commander';

/** What a shell may offer for an argument, or for the value of a flag. */
export type Offer =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** Kinds of the status branch, and `kind/name`. */
  | { readonly kind: 'kinds'; readonly kinds: readonly string[] }
  /** Names of the objects of a kind on the status branch. */
  | { readonly kind: 'names'; readonly of: string }
  /** Names of the objects of the kind that the argument before it says. */
  | { readonly kind: 'namesOfKind' };

const offers = new WeakMap<Argument | Option, Offer>();

/** An argument or flag with what a shell may offer for it. */
export function offering<T extends Argument | Option>(of: T, offer: Offer): T {
  offers.set(of, offer);
  return of;
}

/** What may be offered: as it was said, otherwise as the name says that arguments and flags of all commands share. */
export const offerOf = (of: Argument | Option): Offer | undefined =>
  offers.get(of) ?? byName[of instanceof Option ? of.attributeName() : of.name()];

const byName: Readonly<Record<string, Offer>> = {
  cluster: { kind: 'names', of: 'cluster' },
  withoutCluster: { kind: 'names', of: 'cluster' },
  placement: { kind: 'names', of: 'placement' },
  name: { kind: 'namesOfKind' },
};

/** The argument that says a kind, one of these. */
export const kindArgument = (description: string, kinds: readonly string[]): Argument =>
  offering(new Argument('<kind>', description), { kind: 'kinds', kinds });
