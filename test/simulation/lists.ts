import type { Transport } from '../../src/members/api-server/transport.ts';

/** How lists come from members: in pages however small, whose rest may be forgotten before it is asked for. */
export class Lists {
  /** Objects on a page; undefined: as many as are asked for. */
  size: number | undefined;
  /** What is left of a list that was begun is no longer known. */
  expire = false;

  through(transport: Transport): Transport {
    return (request) => {
      if (this.expire && /[?&]continue=/.test(request.path)) return Promise.resolve(expired());
      return transport(
        this.size === undefined
          ? request
          : { ...request, path: request.path.replace(/([?&]limit=)\d+/, `$1${this.size}`) },
      );
    };
  }
}

const expired = () => ({ status: 410, headers: {}, body: text(JSON.stringify(status)) });

const status = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message: 'The provided continue parameter is too old to display a consistent list result.',
  reason: 'Expired',
  code: 410,
};

async function* text(body: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(body);
}
