import { expect, it } from 'vitest';
import { loadFleet } from '../../../src/repo/fleet/load-fleet.ts';
import { treeOf } from '../../support/paper-fleet.ts';

const sops = `sops:
  kms: []
  age: [{recipient: age1example, enc: "-----BEGIN AGE ENCRYPTED FILE-----"}]
  lastmodified: "2026-11-20T10:00:00Z"
  mac: ENC[AES256_GCM,data:abc,iv:def,tag:ghi,type:str]
  version: 3.10.2
`;
const manifest = (kind: string, apiVersion: string, rest: string) =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: token, namespace: web}\n${rest}`;

const load = async (files: Record<string, string>) => {
  const { resources, refused, problems } = await loadFleet(treeOf(files));
  return {
    placed: resources.map(({ manifest: { kind } }) => kind),
    refused: refused.map(({ kind, name }) => `${kind} ${name}`),
    problems: problems.map(({ severity, code, line, message }) => `${severity} ${code} ${line}: ${message}`),
  };
};

it.each([
  ['Secret', 'v1', 'data: {a: "ENC[AES256_GCM,data:x,type:str]"}\n'],
  ['Secret', 'v1', 'stringData: {a: "ENC[AES256_GCM,data:x,type:str]"}\n'],
  ['ConfigMap', 'v1', 'data: {a: "ENC[AES256_GCM,data:x,type:str]"}\n'],
  ['Database', 'example.com/v1', 'spec: {password: "ENC[AES256_GCM,data:x,type:str]"}\n'],
])(
  'a %s (%s) that SOPS encrypted is refused, its last version stays, and no value is quoted',
  async (kind, api, body) => {
    const found = await load({ 'resources/token.yaml': manifest(kind, api, body + sops) });
    expect(found).toEqual({
      placed: [],
      refused: [`${kind} token`],
      problems: [
        `error encrypted 5: ${kind} web/token: it is encrypted by SOPS, and gitfleet has no keys to decrypt it`,
      ],
    });
  },
);

it('a SopsSecret is for an operator on the member, and a map named sops elsewhere is no mark', async () => {
  const files = {
    'resources/a.yaml': manifest('SopsSecret', 'isindir.github.com/v1alpha3', `spec: {suspend: false}\n${sops}`),
    'resources/b.yaml': manifest('Tool', 'example.com/v1', 'spec: {sops: {enabled: true}}\n'),
  };
  expect(await load(files)).toEqual({ placed: ['Tool', 'SopsSecret'], refused: [], problems: [] });
});

it('an encrypted file outside resources/ is not placed, as any other', async () => {
  const file = manifest('Secret', 'v1', `data: {a: "ENC[AES256_GCM,data:x,type:str]"}\n${sops}`);
  expect(await load({ 'secrets/token.yaml': file })).toEqual({
    placed: [],
    refused: [],
    problems: ['info not-placed 1: Secret is outside resources/ and is not placed'],
  });
});
