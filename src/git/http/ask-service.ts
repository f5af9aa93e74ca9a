import type { GitHttp } from './http.ts';
import { whole } from './packet-lines.ts';

/** Sends one request of git's smart protocol; returns the whole response. */
export async function askService(
  http: GitHttp,
  request: {
    readonly url: string;
    readonly service: 'git-upload-pack' | 'git-receive-pack';
    readonly body: Buffer;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<Buffer> {
  const { url, service, body } = request;
  const answer = await http.request({
    url: `${url}/${service}`,
    method: 'POST',
    headers: {
      'content-type': `application/x-${service}-request`,
      accept: `application/x-${service}-result`,
      ...request.headers,
    },
    body: (async function* () {
      yield body;
    })(),
  });
  return whole(answer.body);
}
