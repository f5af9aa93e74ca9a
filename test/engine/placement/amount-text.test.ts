import { expect, it } from 'vitest';
import { amountText } from '../../../src/engine/placement/amount-text.ts';

it.each<[string, string | number, string]>([
  ['cpu', '3950m', '3.95'],
  ['cpu', '24', '24'],
  ['memory', '16777216Ki', '16Gi'],
  ['memory', '16744448Ki', '15.97Gi'],
  ['resources.kubernetes-fleet.io/available-memory', 2 ** 35, '32Gi'],
  ['kubernetes.azure.com/per-gb-memory-cost', '0.012', '0.012'],
  ['kubernetes-fleet.io/node-count', '12345', '12345'],
  ['k8s.io/k8s-version', 'v1.32.4', 'v1.32.4'],
])('%s %s is shown as %s', (name, amount, text) => {
  expect(amountText(name, amount)).toBe(text);
});
