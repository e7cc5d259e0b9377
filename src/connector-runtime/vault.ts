import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { type CommandContext, DAEMON_ACTOR, writePatientlyAs } from '../domain/command/context.ts'
import { type ResealedBatch, resealEntries, type VaultCipher } from '../domain/connectors/registry/vault.ts'
import { addVaultKey, keepCurrentVaultKey, readVaultKeys, type VaultKey } from '../home/vault-keys.ts'
import type { VaultRow } from '../store/connectors/vault.ts'

const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

type WriteEntries = (work: (ctx: CommandContext) => ResealedBatch) => Promise<ResealedBatch>

interface Rotation {
  readonly key_id: string
  readonly entries: number
}

/**
 * Encrypts secrets with AES-256-GCM. The key is a file of the home and the entries are rows, so that neither a copy of
 * the database nor a backup without secrets is enough to read them. An entry cannot be read under another reference.
 */
export class Vault implements VaultCipher {
  readonly #home: string
  #keys: VaultKey[]
  /** Also the keys that this process has removed: what is being stored may still be under one of them. */
  readonly #known = new Map<string, Buffer>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(home: string) {
    this.#home = home
    this.#keys = this.#remember(readVaultKeys(home))
  }

  /** Whether a replacement of the key was interrupted. */
  get hasOldKeys(): boolean {
    return this.#keys.length > 1
  }

  seal(ref: string, text: string): Pick<VaultRow, 'key_id' | 'sealed'> {
    const { key_id, key } = this.#getCurrentKey()
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(ref))
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return { key_id, sealed: Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64') }
  }

  open({ entry_ref, key_id, sealed }: Pick<VaultRow, 'entry_ref' | 'key_id' | 'sealed'>): string | undefined {
    const key = this.#known.get(key_id)
    if (key === undefined) return undefined
    const bytes = Buffer.from(sealed, 'base64')
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(entry_ref))
      .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
    try {
      return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    } catch {
      // The entry was changed outside the daemon.
      return undefined
    }
  }

  /**
   * Replaces the key. The new key is on disk before the first entry uses it, and the old one is removed after the last
   * entry was encrypted again, so that a kill at any time loses nothing. Replacements run one after the other.
   */
  rotate(write: WriteEntries): Promise<Rotation> {
    return this.#replaceKeys(write, () => this.#remember(addVaultKey(this.#home)))
  }

  /** Ends a replacement of the key that a kill interrupted. */
  finishRotation(write: WriteEntries): Promise<Rotation> {
    return this.#replaceKeys(write, () => this.#keys)
  }

  #replaceKeys(write: WriteEntries, prepare: () => VaultKey[]): Promise<Rotation> {
    const next = this.#last.then(async () => {
      this.#keys = prepare()
      const { key_id } = this.#getCurrentKey()
      let entries = 0
      for (let after: string | undefined = ''; after !== undefined;) {
        const from: string = after
        const done: ResealedBatch = await write((ctx) => resealEntries(ctx, this, { key_id, after: from }))
        entries += done.count
        after = done.last
      }
      this.#keys = keepCurrentVaultKey(this.#home)
      return { key_id, entries }
    })
    this.#last = next.catch(() => undefined)
    return next
  }

  #remember(keys: VaultKey[]): VaultKey[] {
    for (const { key_id, key } of keys) this.#known.set(key_id, key)
    return keys
  }

  #getCurrentKey(): VaultKey {
    const [current] = this.#keys.length === 0 ? (this.#keys = this.#remember(addVaultKey(this.#home))) : this.#keys
    if (current === undefined) throw new Error('The vault has no key.')
    return current
  }
}

/** Ends a replacement of the key that a kill interrupted. */
export async function recoverVault(deps: Parameters<typeof writePatientlyAs>[0], vault: Vault): Promise<void> {
  if (!vault.hasOldKeys) return
  const origin = { actor: DAEMON_ACTOR, correlation_id: deps.newId() }
  await vault.finishRotation((work) => writePatientlyAs(deps, origin, work))
}
