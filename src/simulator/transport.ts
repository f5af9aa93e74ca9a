import type { Transport } from '../members/api-server/transport.ts';
import { chunksOf } from './fault-bodies.ts';
import type { SimulatedMember } from './member.ts';

/** Connects to a simulated member by function calls, without a socket and copies of bodies. */
export const inProcessTransport =
  (member: Pick<SimulatedMember, 'request'>): Transport =>
  async ({ method, path, headers, body, signal }) => {
    const [pathname = '', query = ''] = path.split('?');
    const response = await member.request({
      method,
      path: pathname,
      query: new URLSearchParams(query),
      headers: { 'user-agent': 'gitfleet', ...headers },
      body,
      signal,
    });
    return { status: response.status, headers: response.headers, body: chunksOf(response.body) };
  };
