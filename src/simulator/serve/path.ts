/** The resource of a path below /api or /apis. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly namespace?: string;
  readonly plural: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** Undefined for paths without a resource, such as those of discovery. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const core = parts[0] === 'api';
  if (!core && parts[0] !== 'apis') return undefined;
  const [group, version] = core ? ['', parts[1]] : [parts[1], parts[2]];
  const rest = parts.slice(core ? 2 : 3);
  if (group === undefined || version === undefined || rest.length === 0) return undefined;
  // `namespaces/x` and its two subresources are about the namespace itself.
  const inside =
    rest[0] === 'namespaces' &&
    rest.length > 2 &&
    !(rest.length === 3 && (rest[2] === 'status' || rest[2] === 'finalize'));
  const [plural, name, subresource, ...extra] = inside ? rest.slice(2) : rest;
  if (plural === undefined || extra.length > 0) return undefined;
  return {
    group,
    version,
    plural,
    ...(inside ? { namespace: rest[1]! } : {}),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}
