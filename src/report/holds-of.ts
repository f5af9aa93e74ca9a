/** What a hold is about, apart from the cluster or the stage of it. */
export interface HeldObject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** What holds an object: the whole of it, a cluster, or a stage. */
export const holdsOf = <H extends { readonly subject: HeldObject }>(
  { kind, name, namespace }: HeldObject,
  holds: readonly H[],
): H[] => holds.filter(({ subject: of }) => of.kind === kind && of.name === name && of.namespace === namespace);
