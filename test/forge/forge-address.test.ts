import { expect, it } from 'vitest';
import { forgeAddress } from '../../src/forge/forge-address.ts';

it.each([
  ['https://github.example.com', 'https://github.example.com/api/v3'],
  ['https://github.example.com/', 'https://github.example.com/api/v3'],
  ['https://github.example.com/api/v3/', 'https://github.example.com/api/v3'],
  ['https://github.com', 'https://api.github.com'],
  ['https://acme.ghe.com', 'https://api.acme.ghe.com'],
  ['https://api.acme.ghe.com', 'https://api.acme.ghe.com'],
])('the API of a GitHub whose baseURL is %s is %s', (baseURL, api) => {
  expect(forgeAddress({ kind: 'github', repository: 'acme/fleet', baseURL }, undefined)?.baseURL).toBe(api);
});
