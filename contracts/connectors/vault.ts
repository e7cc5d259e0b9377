import { z } from 'zod'
import { DateTime, SchemaVersion, strictRequestBody } from '../base/fields.ts'
import { route } from '../base/route.ts'

const TAG = 'connectors'
const SecretName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,99}$/)
/** Names a secret that an administrator stored. The vault has other entries, such as the results of calls of users. */
export const SecretRef = z.string().regex(/^secret:[a-z0-9][a-z0-9._-]{0,99}$/)

export const VaultSecret = z
  .object({
    secret_ref: z.string().max(240).describe('Names the secret, for example in a sign-in profile'),
    created_at: DateTime,
    updated_at: DateTime,
  })
  .meta({ id: 'VaultSecret' })
export type VaultSecret = z.infer<typeof VaultSecret>

export const listVaultSecrets = route({
  method: 'GET',
  url: '/api/vault/secrets',
  tag: TAG,
  summary: 'List the names of the secrets that administrators stored; values are never returned',
  privilege: 'admin',
  reply: z.object({ secrets: z.array(VaultSecret), schema_version: SchemaVersion }),
})

export const putVaultSecret = route({
  method: 'PUT',
  url: '/api/vault/secrets/:secretName',
  tag: TAG,
  summary: 'Store a secret, such as an API key or the secret of an OAuth client, encrypted',
  privilege: 'admin',
  params: z.object({ secretName: SecretName }),
  body: strictRequestBody({ value: z.string().min(1).max(8000) }),
  reply: VaultSecret,
  secret: true,
})

export const deleteVaultSecret = route({
  method: 'DELETE',
  url: '/api/vault/secrets/:secretName',
  tag: TAG,
  summary: 'Delete a secret',
  privilege: 'admin',
  params: z.object({ secretName: SecretName }),
  reply: z.object({ secret_ref: z.string(), deleted: z.literal(true), schema_version: SchemaVersion }),
  fails: ['VAULT_SECRET_NOT_FOUND'],
})

export const rotateVaultKey = route({
  method: 'POST',
  url: '/api/vault/rotate',
  tag: TAG,
  summary: 'Replace the key of the vault and encrypt every entry again',
  privilege: 'admin',
  body: strictRequestBody({}),
  reply: z.object({
    key_id: z.string().describe('The id of the new key'),
    entries: z.int().min(0).describe('How many entries were encrypted again'),
    schema_version: SchemaVersion,
  }),
})
