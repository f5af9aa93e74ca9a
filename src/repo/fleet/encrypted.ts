import { error, type Issue } from '../../api/issue.ts';

/**
 * An error for a manifest that SOPS encrypted: placed as it is, members would have its ciphertext for values. A SopsSecret is for an
 * operator on the member, which decrypts it there.
 */
export function encryptedIssues(manifest: object): Issue[] {
  const { kind, sops } = manifest as { readonly kind?: unknown; readonly sops?: unknown };
  if (typeof sops !== 'object' || sops === null || kind === 'SopsSecret') return [];
  return [
    error(
      'encrypted',
      ['sops'],
      'it is encrypted by SOPS, and gitfleet has no keys to decrypt it',
      'place an ExternalSecret, SealedSecret or SopsSecret instead (docs/secrets.md)',
    ),
  ];
}
