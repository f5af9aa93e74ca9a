import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { clusterObservation } from '../../../src/api/observation.ts';
import { placementState } from '../../../src/api/placement-state.ts';
import { approvalRequest } from '../../../src/api/staged.ts';
import { guardRules, holdReasons } from '../../../src/engine/plan-document.ts';
import { documentKeys } from './shape.ts';

const page = await readFile('docs/status-branch.md', 'utf8');
const examples = [...page.matchAll(/```yaml\n(.*?)```/gs)].flatMap(([, text]) =>
  parseAllDocuments(text!).map((document) => document.toJS()),
);

it('the page about the plan names every field and every reason of a hold', () => {
  const named = (word: string): boolean => page.includes(`\`${word}\``) || page.includes(`\`${word}[]\``);
  expect([...documentKeys, ...holdReasons, ...guardRules].filter((word) => !named(word))).toEqual([]);
});

it('its examples are what they say they are', () => {
  const schemas = [clusterObservation, placementState, approvalRequest];
  expect(examples).toHaveLength(schemas.length);
  for (const [index, schema] of schemas.entries())
    expect(schema.safeParse(examples[index]).error?.issues ?? []).toEqual([]);
});
