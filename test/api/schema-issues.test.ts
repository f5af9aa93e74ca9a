import { expect, it } from 'vitest';
import { z } from 'zod';
import { schemaIssues } from '../../src/api/schema-issues.ts';
import { wrongAndFix } from '../../src/api/schema-message.ts';

it.each([
  [
    'and its fix',
    wrongAndFix('must be a or b; c is old', 'write a; or b'),
    'must be a or b; c is old',
    'write a; or b',
  ],
  ['without a fix', 'must be a; not b', 'must be a; not b', 'write what `gitfleet schema` lists for it'],
])('the message of a schema is shown whole, %s', (_, message, wrong, fix) => {
  const schema = z.object({ size: z.string().refine(() => false, message) });
  const document = { size: 'b' };
  const found = schemaIssues(schema.safeParse(document).error!.issues, schema, document);
  expect(found).toEqual([{ severity: 'error', code: 'invalid', path: ['size'], message: `size: ${wrong}`, fix }]);
});

it('the start of one field alone is taken for that field', () => {
  const schema = z.strictObject({ durationHours: z.number(), startTime: z.string(), startDate: z.string() }).partial();
  const fixes = Object.keys({ duration: 4, start: '' }).map((key) => {
    const document = { [key]: 4 };
    return schemaIssues(schema.safeParse(document).error!.issues, schema, document)[0]!.fix;
  });
  expect(fixes).toEqual(['did you mean durationHours?', 'remove start']);
});

it.each([
  [{ policy: {} }, 'did you mean spec.policy?'],
  [{ spec: { type: 'a' } }, 'did you mean spec.policy.type?'],
  [{ spec: { policy: { selectors: [] } } }, 'did you mean spec.selectors?'],
  [{ spec: { selectors: [{ policy: {} }] } }, 'did you mean spec.policy?'],
  [{ spec: { selectors: [{ key: 'a' }] } }, 'did you mean spec.selectors[0].of.key?'],
  [{ spec: { policy: { kind: 'a' } } }, 'remove kind'],
  [{ selector: [] }, 'did you mean spec.selectors?'],
])('a field at another indentation is shown where it belongs: %j', (document, fix) => {
  const selector = z.strictObject({ of: z.strictObject({ key: z.string() }).optional() });
  const policy = z.strictObject({ type: z.string().optional() });
  const spec = z.strictObject({ policy: policy.optional(), selectors: z.array(selector).optional() });
  const schema = z.strictObject({ kind: z.string().optional(), spec: spec.optional() });
  expect(schemaIssues(schema.safeParse(document).error!.issues, schema, document)[0]!.fix).toBe(fix);
});

it('a required field that is misspelt is one finding', () => {
  const freeze = z.strictObject({ schedule: z.string(), duration: z.string() });
  const schema = z.strictObject({ freeze: z.array(freeze) });
  const document = { freeze: [{ shedule: '* * * * *' }] };
  const found = schemaIssues(schema.safeParse(document).error!.issues, schema, document);
  expect(found.map(({ code, path, fix }) => [code, path.join('.'), fix])).toEqual([
    ['field-required', 'freeze.0.duration', 'add duration'],
    ['unknown-field', 'freeze.0.shedule', 'did you mean schedule?'],
  ]);
});
