/** How people call a thing that may have a namespace: `web` or `shop/web`. */
export const titleOf = ({
  namespace,
  name,
}: {
  readonly name: string;
  readonly namespace?: string | undefined;
}): string => (namespace === undefined ? name : `${namespace}/${name}`);
