/** The displayed name of an object: `web` or `shop/web`. */
export const titleOf = ({
  namespace,
  name,
}: {
  readonly name: string;
  readonly namespace?: string | undefined;
}): string => (namespace === undefined ? name : `${namespace}/${name}`);
