/** How a namespaced thing is called at a terminal: `name` or `namespace/name`. */
export const titleOf = (subject: { readonly name: string; readonly namespace?: string | undefined }): string =>
  subject.namespace === undefined ? subject.name : `${subject.namespace}/${subject.name}`;

/** `Deployment shop/web`. */
export const objectTitle = (object: {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
}): string => `${object.kind} ${titleOf(object)}`;
