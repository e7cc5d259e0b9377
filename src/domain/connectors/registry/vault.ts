import type { VaultSecret } from '@apprentice/contracts/connectors/vault.ts'
import { Failure } from '../../../failure/failure.ts'
import {
  deleteEntry,
  findEntry,
  listEntries,
  listEntriesUnderOtherKeys,
  upsertEntry,
  type VaultRow,
} from '../../../store/connectors/vault.ts'
import type { Reader } from '../../../store/db/db.ts'
import type { CommandContext } from '../../command/context.ts'
import { recordEvent } from '../../command/ledger.ts'

/**
 * Encrypts and decrypts entries. It is called inside the transaction that stores an entry, so that no entry is stored
 * under a key that is being removed.
 */
export interface VaultCipher {
  seal(ref: string, text: string): Pick<VaultRow, 'key_id' | 'sealed'>
  /** Undefined if the key of the entry is not in this home. */
  open(row: VaultRow): string | undefined
}

const SECRET_PREFIX = 'secret:'

export const formatTokenRef = (authProfileId: string): string => `token:${authProfileId}`
export const formatClientRef = (authProfileId: string): string => `client:${authProfileId}`
export const formatPayloadRef = (dispatchId: string): string => `call:${dispatchId}`
export const formatResultRef = (dispatchId: string): string => `result:${dispatchId}`
export const formatSignInRef = (signInId: string): string => `sign-in:${signInId}`

export function storeSecretText(ctx: CommandContext, cipher: VaultCipher, ref: string, text: string): void {
  const created_at = findEntry(ctx.tx, ref)?.created_at ?? ctx.now
  upsertEntry(ctx.tx, { entry_ref: ref, ...cipher.seal(ref, text), created_at, updated_at: ctx.now })
}

export function readSecretText(reader: Reader, cipher: VaultCipher, ref: string): string | undefined {
  const row = findEntry(reader, ref)
  return row === undefined ? undefined : cipher.open(row)
}

/** Of what is encrypted again in one transaction: results of calls are large, and there may be many. */
const [BATCH_ENTRIES, BATCH_CHARACTERS] = [200, 4_000_000]

export interface ResealedBatch {
  readonly count: number
  /** The last entry. Undefined if there is no other after it. */
  readonly last: string | undefined
}

/** Encrypts the next entries after a reference again that are not under the current key. */
export function resealEntries(
  ctx: CommandContext,
  cipher: VaultCipher,
  { key_id, after }: { readonly key_id: string; readonly after: string },
): ResealedBatch {
  let [count, characters] = [0, 0]
  let last: string | undefined
  for (const found of listEntriesUnderOtherKeys(ctx.tx, key_id, { after, limit: BATCH_ENTRIES })) {
    if (characters > BATCH_CHARACTERS) break
    characters += found.characters
    last = found.entry_ref
    const row = findEntry(ctx.tx, last)
    const text = row === undefined ? undefined : cipher.open(row)
    if (row === undefined || text === undefined) continue
    upsertEntry(ctx.tx, { ...row, ...cipher.seal(row.entry_ref, text) })
    count += 1
  }
  return { count, last }
}

/** The secrets that administrators stored, without their values. */
export const listSecrets = (reader: Reader): VaultSecret[] =>
  listEntries(reader, SECRET_PREFIX).map(({ entry_ref, created_at, updated_at }) => ({
    secret_ref: entry_ref,
    created_at,
    updated_at,
  }))

export function putSecret(
  ctx: CommandContext,
  cipher: VaultCipher,
  { name, value }: { readonly name: string; readonly value: string },
): VaultSecret {
  const secret_ref = `${SECRET_PREFIX}${name}`
  storeSecretText(ctx, cipher, secret_ref, value)
  recordEvent(ctx, `connector/${secret_ref}`, 'mcp.secret.changed', { secret_ref })
  const created_at = findEntry(ctx.tx, secret_ref)?.created_at ?? ctx.now
  return { secret_ref, created_at, updated_at: ctx.now }
}

export function removeSecret(ctx: CommandContext, name: string): { secret_ref: string; deleted: true } {
  const secret_ref = `${SECRET_PREFIX}${name}`
  if (!deleteEntry(ctx.tx, secret_ref)) {
    throw new Failure('VAULT_SECRET_NOT_FOUND', `The vault has no secret ${name}.`)
  }
  recordEvent(ctx, `connector/${secret_ref}`, 'mcp.secret.changed', { secret_ref, deleted: true })
  return { secret_ref, deleted: true }
}
