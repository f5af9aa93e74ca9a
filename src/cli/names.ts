/** How a namespaced thing is called at a terminal: `name` or `namespace/name`. */
export const placementTitle = (subject: { readonly name: string; readonly namespace?: string | undefined }): string =>
  subject.namespace === undefined ? subject.name : `${subject.namespace}/${subject.name}`;
