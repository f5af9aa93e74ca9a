import { readFile } from 'node:fs/promises';
import { isFields } from '../../../engine/kernel/fields.ts';
import type { Clock } from '../../clock.ts';
import type { AzureHttp } from './azure-http.ts';

/** How gitfleet signs in to Azure. Of workload identity the file is read each time: the cluster renews its token. */
export interface AzureIdentity {
  readonly tenant: string;
  readonly client: string;
  readonly proof:
    | { readonly kind: 'file'; readonly path: string }
    | { readonly kind: 'secret'; readonly secret: string };
  readonly cloud: AzureCloud;
}

/** Where a cloud of Azure signs in, and where its resource manager is. */
export interface AzureCloud {
  readonly authority: string;
  readonly resourceManager: string;
}

/** By the host that signs in; the public cloud is first. */
export const azureClouds: readonly AzureCloud[] = [
  { authority: 'https://login.microsoftonline.com', resourceManager: 'https://management.azure.com' },
  { authority: 'https://login.microsoftonline.us', resourceManager: 'https://management.usgovcloudapi.net' },
  { authority: 'https://login.partner.microsoftonline.cn', resourceManager: 'https://management.chinacloudapi.cn' },
];

export interface AzureTokens {
  /** A bearer token for the resource manager; a new one when the last was rejected. Rejects without any secret in the message. */
  token(rejected?: string): Promise<string>;
}

/** A token is renewed so long before it expires, milliseconds. */
const renewBeforeMs = 300_000;

export function azureTokens(
  identity: AzureIdentity,
  { http, clock }: { readonly http: AzureHttp; readonly clock: Clock },
): AzureTokens {
  const { tenant, client, proof, cloud } = identity;
  let current: { readonly token: string; readonly until: number } | undefined;
  let asked: Promise<string> | undefined;

  async function ask(): Promise<string> {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client,
      scope: `${cloud.resourceManager}/.default`,
      ...(await proofOf(proof)),
    });
    const { status, text } = await http({
      method: 'POST',
      url: `${cloud.authority}/${tenant}/oauth2/v2.0/token`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: form.toString(),
    });
    const found = fieldsOf(text);
    const [token, seconds] = [found['access_token'], Number(found['expires_in'])];
    // The description repeats what was sent, but never the secret; the code says enough.
    if (status !== 200 || typeof token !== 'string')
      throw new Error(
        `sign in to Azure as ${client}: ${status}, ${String(found['error'] ?? 'no token in the response')}`,
      );
    current = { token, until: clock.now() + (Number.isFinite(seconds) ? seconds * 1000 : 0) - renewBeforeMs };
    return token;
  }

  return {
    async token(rejected) {
      if (current !== undefined && current.token !== rejected && clock.now() < current.until) return current.token;
      asked ??= ask().finally(() => {
        asked = undefined;
      });
      return asked;
    },
  };
}

async function proofOf(proof: AzureIdentity['proof']): Promise<Record<string, string>> {
  if (proof.kind === 'secret') return { client_secret: proof.secret };
  const assertion = await readFile(proof.path, 'utf8').catch((error: unknown) => {
    throw new Error(
      `read AZURE_FEDERATED_TOKEN_FILE ${proof.path}: ${(error as NodeJS.ErrnoException).code ?? 'error'}`,
    );
  });
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion.trim(),
  };
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}
