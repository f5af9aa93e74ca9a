import { placementLabel } from '../../src/engine/overrides/ownership.ts';
import type { TransportResponse } from '../../src/members/api-server/transport.ts';

export const mib = 2 ** 20;
export const piece = Buffer.alloc(64 * 1024, 'x');
export const filled = 'y'.repeat(10 * 1024);

export async function* bytes(...chunks: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

export async function* endless(chunk: () => string | Uint8Array): AsyncGenerator<Uint8Array> {
  for (;;) yield* bytes(chunk());
}

export const answer = (
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): TransportResponse => ({
  status,
  headers,
  body: bytes(typeof body === 'string' ? body : JSON.stringify(body)),
});

export const stream = (body: AsyncIterable<Uint8Array>): TransportResponse => ({ status: 200, headers: {}, body });

export async function* silence(): AsyncGenerator<Uint8Array> {
  await new Promise(() => {});
}

export let version = 1_000_000;
export const ours = (more: object = {}): object => {
  version++;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: `d-${version}`,
      namespace: 'web',
      resourceVersion: `${version}`,
      labels: { [placementLabel]: 'x' },
    },
    ...more,
  };
};

export const page = (items: readonly object[], next?: string): TransportResponse =>
  answer({ apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '1', continue: next }, items });
